import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { runBuildCommand } from "#agent/run/build/run-build-command.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import type { Step } from "#agent/run/step/step.ts";
import { succeed } from "#contract/lib/result.ts";

/** Installs the dependencies. A project that installs nothing does not have this stage. */
export async function installDependencies(scope: RunScope, plan: BuildPlan): Promise<Step<null>> {
  const { install_command } = plan;
  if (install_command === null) return succeed(null);
  scope.journal.record({ stage: "install" });
  scope.reporter.report({ type: "stage", stage: "install" }, "urgent");
  return await runBuildCommand(scope, "install", install_command, plan);
}
