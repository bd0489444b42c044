import { hasSucceeded } from "#build/process/command.ts";
import { runActivateCommand } from "#agent/run/activate/activate-stage.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import { type CommandScope, hideSecrets } from "#agent/step/run-scope.ts";
import { checkVariables } from "#agent/policy/check-variables.ts";
import { readReleaseVariables } from "#agent/secrets/release-variables.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { switchCurrentBack, linkTarget } from "#agent/workspace/current-link.ts";
import { readRelease } from "#agent/workspace/releases.ts";

/** Switches `current` back from a release to the previous one, or removes it when there was none. */
export async function switchBack(scope: CommandScope, from: number, previous: number | null): Promise<void> {
  await switchCurrentBack(scope.folder, previous);
  if (from === previous) return;
  const message =
    previous === null
      ? "removed current, because there was no release before"
      : `switched current back to ${linkTarget(previous)}`;
  scope.log.system("activate", message);
}

/** Runs a release's activate command after a switch that no deployment ordered. A failure is only logged. */
export async function reactivate(
  scope: CommandScope,
  version: number | null,
  seconds: number,
): Promise<void> {
  if (version === null) return;
  const release = await readRelease(scope.folder, version);
  if (release === null) return;
  if (release.activate_command === null) return;
  const { context, folder } = scope;
  const opened = await openReleaseVariables(folder, context.sealKey, scope.projectId, version);
  const problem = opened.ok
    ? checkVariables(context.policy, await readReleaseVariables(folder, version))
    : opened.message;
  if (!opened.ok || problem !== null)
    return scope.log.system(
      "activate",
      `the activate command of ${linkTarget(version)} was not run: ${problem}`,
    );
  const { activate, secretValues } = opened.value;
  // An interrupt does not stop it: the release that is served now needs it.
  const limit = startLimit(seconds, null);
  const ran = await runActivateCommand(hideSecrets(scope, secretValues), release, activate, limit);
  limit.clear();
  if (ran !== null && !hasSucceeded(ran.end))
    scope.log.system(
      "activate",
      `the activate command of ${linkTarget(version)} ${describeEnd(ran.end)}: check the app`,
    );
}
