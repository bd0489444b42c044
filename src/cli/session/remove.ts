import type { ClientResult } from "#client/send.ts";
import { confirm } from "#cli/ask.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";

type Removal = {
  readonly question: string;
  /** The value of --yes. */
  readonly yes: boolean;
  readonly send: () => Promise<ClientResult<null>>;
  /** Printed with --json. */
  readonly json: Readonly<Record<string, string>>;
  /** Printed without --json. */
  readonly line: string;
};

/** Asks for confirmation, sends a DELETE request and prints the result. */
export async function remove(
  session: Session,
  { question, yes, send, json, line }: Removal,
): Promise<Outcome> {
  const confirmed = await confirm(session, question, yes);
  if (!confirmed.ok) return confirmed;
  const removed = await send();
  if (!removed.ok) {
    const { problem, unanswered = 0 } = removed;
    // If an earlier try got no response, it may have deleted the resource, so a 404 now means success.
    if (problem.code !== "not_found" || unanswered === 0) return removed;
  }
  session.output.json(json);
  session.output.line(line);
  return done;
}
