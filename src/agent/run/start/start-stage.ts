import { awaitRollout } from "#agent/apps/await-rollout.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import { planRollout, requestOf, type Rollout, startPlanned } from "#agent/apps/rollout.ts";
import { watchSilence } from "#agent/run/start/watch-silence.ts";
import { endedFailure, notReadyFailure } from "#agent/run/start/start-failure.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, failWith, interrupted, type Step } from "#agent/step/step.ts";
import { describeTry } from "#agent/lib/http/check-health.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Starts the instances with a port that are not running yet, and waits until each listens itself and has passed its check.
 * No request has reached them by then. A project without such processes does not have this stage.
 * @param onPlanned called before the first start, so that a failure can be undone
 * @returns `null` for a project that has no processes and had none
 */
export async function startInstances(
  scope: RunScope,
  release: Release,
  onPlanned: (rollout: Rollout) => void,
): Promise<Step<Rollout | null>> {
  const { order, folder, context, journal, reporter, log } = scope;
  const planned = await planRollout(context, folder, requestOf(order, release, scope.variables.activate));
  if (!planned.ok) return fail("start_failed", "start", planned.reason);
  const rollout = planned.value;
  if (rollout === null) return succeed(null);
  onPlanned(rollout);
  const starts = rollout.plan.started.filter(({ process }) => process.port);
  if (starts.length === 0) return succeed(rollout);

  journal.record({ stage: "start" });
  reporter.report({ type: "stage", stage: "start" }, "urgent");
  const limit = startLimit(order.timeouts.start_seconds, scope.interrupt);
  const silence = watchSilence(scope);
  try {
    logStarts(scope, rollout);
    const notes: InstanceNote[] = [];
    for (const one of starts) {
      const started = await startPlanned(context, folder, rollout, one);
      if (scope.interrupt.signal.aborted) return interrupted;
      if (!started.ok)
        return fail("start_failed", "start", scope.mask(`${one.name} cannot be started: ${started.reason}`));
      notes.push(started.value);
      silence.started(started.value);
    }
    const failed = await awaitRollout(context, folder.id, rollout, notes, limit.signal, {
      listening({ name, port }, ms) {
        silence.listening(name);
        log.system("start", `${name} listens on port ${port} after ${(ms / 1000).toFixed(1)} s`);
      },
      tried: ({ name }, tries, tried) => log.system("start", `${name}: try ${tries}: ${describeTry(tried)}`),
      healthy: ({ name }) => log.system("start", `${name} is healthy`),
    });
    if (scope.interrupt.signal.aborted) return interrupted;
    if (failed === null) {
      const listed = await context.supervisor.list(folder.id);
      if (listed.ok)
        rollout.restartsWhenReady = new Map(listed.value.map(({ name, restarts }) => [name, restarts]));
      return succeed(rollout);
    }
    const failure =
      failed.kind === "ended"
        ? await endedFailure(scope, "start", rollout, failed)
        : await notReadyFailure(scope, failed.note, failed.readiness, limit);
    log.system("start", failure.message);
    return failWith(failure);
  } finally {
    silence.end();
    limit.clear();
  }
}

function logStarts({ log }: RunScope, { plan }: Rollout): void {
  for (const name of new Set(plan.started.map(({ processName }) => processName))) {
    const ones = plan.started.filter((one) => one.processName === name);
    if (ones[0]?.process.port === true)
      log.system(
        "start",
        `starting ${name} (${ones.length} ${ones.length === 1 ? "instance" : "instances"})`,
      );
  }
}
