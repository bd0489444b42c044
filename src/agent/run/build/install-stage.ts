import { realpath } from "node:fs/promises";

import { beginStage } from "#agent/run/build/begin-stage.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { runBuildCommand } from "#agent/run/build/run-build-command.ts";
import {
  dropEntry,
  planKeptInstallation,
  restoreDependencies,
  storeDependencies,
} from "#agent/run/cache/dependencies.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { interrupted, type Step } from "#agent/step/step.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Installs the dependencies, or restores those of an earlier, equal installation. A project that installs nothing does
 * not have this stage.
 */
export async function installDependencies(scope: RunScope, plan: BuildPlan): Promise<Step<null>> {
  const { install_command } = plan;
  if (install_command === null) return succeed(null);
  const place = beginStage(scope, "install", plan);
  const release = await realpath(plan.release);
  const limit = startLimit(scope.order.timeouts.install_seconds, scope.interrupt, plan.tools.spentMs);
  try {
    const kept = await planKeptInstallation(scope, plan, release, install_command, limit.signal);
    const restored = kept === null ? null : await restoreDependencies(scope, release, kept, limit.signal);
    if (scope.interrupt.signal.aborted) return interrupted;
    const command = kept === null || restored === null ? install_command : kept.rest;
    const installed =
      command === null ? succeed(null) : await runBuildCommand(scope, "install", command, place);
    // The next deployment installs from the beginning, in case the restored files are the reason.
    if (!installed.ok && restored !== null && !scope.interrupt.signal.aborted)
      await dropEntry(scope, restored);
    if (installed.ok && kept !== null && restored === null)
      await storeDependencies(scope, release, kept, limit.signal);
    return scope.interrupt.signal.aborted ? interrupted : installed;
  } finally {
    limit.clear();
  }
}
