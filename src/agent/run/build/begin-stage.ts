import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import type { CommandPlace } from "#agent/run/build/run-build-command.ts";
import type { RunScope } from "#agent/step/run-scope.ts";

/**
 * Records and reports that a stage begins, unless the installation of the tools has begun it.
 * @returns where the stage's command runs
 */
export function beginStage(
  { journal, reporter }: RunScope,
  stage: "install" | "build",
  { install_command, build_command, tools, release, root, installRoot, commitSha, choice }: BuildPlan,
): CommandPlace {
  const isFirst = stage === "install" || install_command === null;
  if (!isFirst || !tools.hasBegun) {
    journal.record({ stage });
    const isPatient = stage === "build" && build_command === null;
    reporter.report({ type: "stage", stage }, isPatient ? "patient" : "urgent");
  }
  const spentMs = isFirst ? tools.spentMs : 0;
  const folder = stage === "install" ? installRoot : root;
  const isPreset = stage === "install" && choice.isPresetInstall;
  return { release, folder, commitSha, isPreset, toolFolders: tools.folders, spentMs };
}
