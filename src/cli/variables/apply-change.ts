import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { followOptions } from "#cli/session/follow-options.ts";
import { done, type Outcome, type Result, stop } from "#cli/outcome.ts";
import { applyConfig } from "#cli/session/apply-config.ts";
import type { Session } from "#cli/session/session.ts";
import { printChange } from "#cli/views/variable-text.ts";

/** The options of commands that change variables. */
export const applyOptions = {
  apply: { kind: "flag", help: "Apply the change now, by a deployment without a build" },
  ...followOptions,
} as const;

type Chosen = { readonly apply: boolean; readonly follow: boolean; readonly warnings: boolean };

/** Refuses --follow without --apply: there would be nothing to follow. */
export function checkApply({ apply, follow }: Chosen): Result<null> {
  return follow && !apply ? stop("usage", "Pass --apply with --follow.") : { ok: true, value: null };
}

type Change = {
  readonly projectId: ProjectId;
  /** The revision before the change. */
  readonly before: number;
  /** Such as `Set LOG_LEVEL`. */
  readonly what: string;
};

/** Prints a change of variables, and applies it with --apply. */
export async function endChange(
  session: Session,
  variables: Variables,
  { projectId, before, what }: Change,
  options: Chosen,
): Promise<Outcome> {
  printChange(session, variables, { before, what, isApplied: options.apply });
  // Also if nothing has changed: an earlier change may not have been applied yet.
  return options.apply ? applyConfig(session, { id: projectId, name: null }, options) : done;
}
