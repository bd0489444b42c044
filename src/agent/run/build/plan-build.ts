import { realpath } from "node:fs/promises";

import { checkBuildCommands } from "#agent/policy/check-policy.ts";
import { rootFailure } from "#build/failure/directory-failure.ts";
import { findMissingTool } from "#build/find-missing-tool.ts";
import { linkExistingPaths } from "#agent/run/build/link-shared-paths.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { fail, failWith, type Step } from "#agent/run/step/step.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { readTree } from "#build/tree/read-tree.ts";
import { releasePath } from "#agent/workspace/releases.ts";
import { applySettings, detectFramework, hasPreset, presetFor } from "#contract/frameworks/preset-for.ts";
import type { Preset } from "#contract/endpoints/projects/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

/** How a fetched commit becomes a release. */
export type BuildPlan = Preset & {
  readonly commitSha: string;
  readonly commitMessage: string;
  /** The release's folder. */
  readonly release: string;
  /** The real path of the root directory, in which the commands run. */
  readonly root: string;
  /** The shared paths that are linked before the commands run. */
  readonly linked: ReadonlySet<string>;
};

/**
 * Decides how the fetched files are built: from the project's settings, and otherwise from the framework's preset.
 * Detects the framework when the project names none. Fails if the root directory, the policy or a missing tool does not
 * allow the build. Then links the shared paths that exist, so that the commands see them.
 */
export async function planBuild(
  scope: RunScope,
  commit: { readonly sha: string; readonly message: string },
): Promise<Step<BuildPlan>> {
  const { order, folder, context } = scope;
  const release = releasePath(folder, order.version);
  const root = await folderInside(release, order.root_directory);
  if (root.kind !== "inside") return failWith(rootFailure(order.root_directory, root));
  const preset = await choosePreset(scope, await realpath(release), root.path);
  // Checked here too, because a preset's commands are known only now.
  const refusal = checkBuildCommands(context.policy, preset);
  const stage = firstStage(preset);
  if (refusal !== null) return fail("refused_by_policy", stage, refusal);
  for (const command of presetCommands(scope, preset)) {
    const missing = await findMissingTool(command, context.environment["PATH"]);
    if (missing !== null) return fail("tool_missing", stage, missing);
  }
  const linked = await linkExistingPaths(scope, release, stage);
  if (!linked.ok) return linked;
  const { sha: commitSha, message: commitMessage } = commit;
  return succeed({ ...preset, commitSha, commitMessage, release, root: root.path, linked: linked.value });
}

async function choosePreset(scope: RunScope, release: string, root: string): Promise<Preset> {
  const { order, reporter, log } = scope;
  const tree = await readTree(release, root);
  const framework = order.framework ?? detectFramework(tree);
  const preset = presetFor(framework, tree);
  reporter.report({ type: "framework", preset }, "patient");
  const plan = applySettings(order, preset);
  const stage = firstStage(plan);
  if (!hasPreset(framework)) log.system(stage, `there is no preset for the framework ${framework}`);
  const source = order.framework === undefined ? "detected in the repository" : "set in the project";
  const install = plan.install_command === null ? "" : `installed by ${plan.install_command}, `;
  const build = plan.build_command === null ? "nothing to build" : `built by ${plan.build_command}`;
  log.system(
    stage,
    `framework ${framework}, ${source}: ${install}${build}, served from ${plan.output_directory}`,
  );
  return plan;
}

/** The first stage of the plan. Lines about the plan belong to it, because a stage begins with its first line. */
function firstStage({ install_command }: Preset): "install" | "build" {
  return install_command === null ? "build" : "install";
}

/** The commands that come from the preset. Those in the project's settings may install the tools that they need. */
function presetCommands({ order }: RunScope, { install_command, build_command }: Preset): readonly string[] {
  const commands = [
    order.install_command === undefined ? install_command : null,
    order.build_command === undefined ? build_command : null,
  ];
  return commands.filter((command) => command !== null);
}
