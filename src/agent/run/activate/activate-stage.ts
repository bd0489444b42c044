import { commandEnvironment } from "#agent/commands/environment.ts";
import { shellCommand } from "#agent/commands/shell.ts";
import { checkActivateCommand } from "#agent/policy/check-policy.ts";
import { stepAfterCommand } from "#agent/run/step/command-step.ts";
import { type CommandEnd, describeEnd, runCommand } from "#agent/run/step/run-command.ts";
import type { CommandScope, RunScope } from "#agent/run/step/run-scope.ts";
import { startLimit, type StageLimit } from "#agent/run/step/stage-limit.ts";
import type { Step } from "#agent/run/step/step.ts";
import { linkTarget, prepareWayBack, switchCurrent } from "#agent/workspace/current-link.ts";
import { folderInside } from "#agent/workspace/inside-release.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { flushFolder } from "#node/write-atomic.ts";
import { succeed } from "#contract/lib/result.ts";

/** Points `current` to the release and runs its activate command. After a failure `current` stays as it is: revert. */
export async function activateRelease(
  scope: RunScope,
  release: Release,
  previous: number | null,
): Promise<Step<null>> {
  const { order, folder, journal, reporter, log } = scope;
  await prepareWayBack(folder, previous);
  // Noted before the switch: a crash right after it must find the way back.
  journal.note({ stage: "activate", phase: { kind: "switching", previous } });
  reporter.report(
    { type: "stage", stage: "activate" },
    release.activate_command === null ? "patient" : "urgent",
  );
  await switchCurrent(folder, release.version);
  await flushFolder(folder.root);
  const from = previous === null ? "" : ` from ${linkTarget(previous)}`;
  log.system("activate", `switched current${from} to ${linkTarget(release.version)}`);
  const sites = scope.context.sites;
  // A site follows `current` by itself, so only one that is not served yet has to be waited for.
  if (sites.urlOf(order.project_id) === null) await sites.register(order.project_id, folder.root);

  const limit = startLimit(order.timeouts.activate_seconds, scope.interrupt);
  const ran = await runActivateCommand(scope, release, limit);
  limit.clear();
  return ran === null ? succeed(null) : stepAfterCommand(scope, "activate", ran, limit);
}

/**
 * Runs what the release's owner wants done after a switch to it. What it starts in the background may stay:
 * restarting a server is what such commands are for.
 * @returns `null` when the release has no such command
 */
export async function runActivateCommand(
  scope: CommandScope,
  release: Release,
  limit: StageLimit,
): Promise<CommandEnd | null> {
  if (release.activate_command === null) return null;
  const { context, log } = scope;
  // Only of a release from before the policy, which is switched back to because the newer one is no good.
  const refusal = checkActivateCommand(context.policy, release.activate_command);
  if (refusal !== null) {
    log.system("activate", refusal);
    return null;
  }
  log.system("activate", `running ${release.activate_command}`);
  const startedAt = context.clock.monotonic();
  const root = await folderInside(releasePath(scope.folder, release.version), release.root_directory);
  if (root.kind !== "inside") {
    const message = `the root directory \`${release.root_directory}\` is not in the release`;
    return { end: { kind: "not_started", message }, stdout: "", stderrTail: "" };
  }
  const command = shellCommand(
    release.activate_command,
    root.path,
    commandEnvironment(context.environment, scope.marker),
    {
      releases: scope.folder.releases,
      projectName: release.project_name,
      version: release.version,
      commitSha: release.commit_sha,
      branch: release.branch,
    },
  );
  const ran = await runCommand(scope, command, {
    stage: "activate",
    signal: limit.signal,
    leftovers: { keepAs: String(release.version) },
    stdout: "log",
  });
  const ms = Math.round(context.clock.monotonic() - startedAt);
  log.system("activate", `the activate command ${describeEnd(ran.end)} (${ms} ms)`);
  return ran;
}
