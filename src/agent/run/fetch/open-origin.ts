import { isGitConfined } from "#agent/policy/check-policy.ts";
import { refuseOwnFiles } from "#agent/policy/own-files.ts";
import type { Origin } from "#agent/run/fetch/mirror-steps.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { fail, type Step } from "#agent/run/step/step.ts";
import { describeNewHostKeys, prepareAccess } from "#agent/ssh/repository-access.ts";
import { maskUrlSecret } from "#contract/git-names.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";
import { repositoryPage } from "#contract/public-paths.ts";
import { isNoSpaceError } from "#node/has-code.ts";

/** Prepares to fetch from a repository for a run: the run's own, or one of its submodules. */
export async function openOrigin(
  { context, order }: RunScope,
  repository: string,
  mirrors: Origin["mirrors"],
): Promise<Step<Origin>> {
  const refusal = await refuseOwnFiles(context, repository);
  if (refusal !== null) return fail("refused_by_policy", "fetch", refusal);
  const project = { id: order.project_id, name: order.project_name };
  try {
    return succeed({
      repository,
      mirrors,
      shown: maskUrlSecret(repository),
      isConfined: isGitConfined(context.policy),
      access: await prepareAccess(context, project, repository, order.run_id),
      stepsUrl: repositoryPage(context.connection.url, order.project_id),
      now: () => context.clock.monotonic(),
    });
  } catch (error) {
    if (isNoSpaceError(error)) throw error;
    return fail("fetch_failed", "fetch", `reading ${maskUrlSecret(repository)} failed: ${messageOf(error)}`);
  }
}

/** Logs the host keys that ssh pinned at the first connection to a host. */
export async function logNewHostKeys({ context, log }: RunScope, { access }: Origin): Promise<void> {
  for (const sentence of await describeNewHostKeys(context, access)) log.system("fetch", sentence);
}
