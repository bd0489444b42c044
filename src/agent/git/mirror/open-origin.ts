import type { AgentContext } from "#agent/context/context.ts";
import { isGitConfined } from "#agent/policy/check-policy.ts";
import { refuseOwnFiles } from "#agent/policy/own-files.ts";
import type { Origin } from "#agent/git/mirror/mirror-steps.ts";
import type { CommandScope, RunScope } from "#agent/step/run-scope.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { describeNewHostKeys, type KeyedProject, prepareAccess } from "#agent/git/repository-access.ts";
import { maskRepository } from "#contract/git-names.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { repositoryPage } from "#contract/public-paths.ts";
import { isNoSpaceError } from "#node/has-code.ts";

/** For whom a repository is read. `marker` identifies git's processes and logins. */
export type Reader = {
  readonly context: AgentContext;
  readonly project: KeyedProject;
  readonly marker: string;
  /** The branch in the project's settings; null: not known. */
  readonly branch: string | null;
};

/** A run, as a reader of its repository and of the submodules. */
export function readerOf({ context, order }: RunScope): Reader {
  const project = { id: order.project_id, name: order.project_name };
  return { context, project, marker: order.run_id, branch: order.cache?.default_branch ?? null };
}

/** Prepares to fetch from a repository. */
export async function openOrigin(
  { context, project, marker, branch }: Reader,
  repository: string,
  mirrors: Origin["mirrors"],
): Promise<Step<Origin>> {
  const refusal = await refuseOwnFiles(context, repository);
  if (refusal !== null) return fail("refused_by_policy", "fetch", refusal);
  try {
    return succeed({
      repository,
      mirrors,
      shown: maskRepository(repository),
      isConfined: isGitConfined(context.policy),
      access: await prepareAccess(context, project, repository, marker),
      projectName: project.name,
      projectBranch: branch,
      stepsUrl: repositoryPage(context.connection.url, project.id),
      now: () => context.clock.monotonic(),
    });
  } catch (error) {
    if (isNoSpaceError(error)) throw error;
    return fail("fetch_failed", "fetch", `reading ${maskRepository(repository)} failed: ${messageOf(error)}`);
  }
}

/** Logs the host keys that ssh pinned at the first connection to a host. */
export async function logNewHostKeys({ context, log }: CommandScope, { access }: Origin): Promise<void> {
  for (const sentence of await describeNewHostKeys(context, access)) log.system("fetch", sentence);
}
