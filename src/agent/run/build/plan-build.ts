import type { RunScope } from "#agent/run/step/run-scope.ts";
import { readTree } from "#agent/workspace/read-tree.ts";
import { applySettings, detectFramework, hasPreset, presetFor } from "#contract/frameworks/preset-for.ts";
import type { Preset } from "#contract/endpoints/projects/schemas.ts";

/**
 * Decides how the fetched files are built: from the project's settings, and otherwise from the framework's preset.
 * Detects the framework when the project names none.
 */
export async function planBuild(scope: RunScope, release: string, root: string): Promise<Preset> {
  const { order, reporter, log } = scope;
  const tree = await readTree(release, root);
  const framework = order.framework ?? detectFramework(tree);
  const preset = presetFor(framework, tree);
  reporter.report({ type: "framework", preset }, "patient");
  const plan = applySettings(order, preset);
  if (!hasPreset(framework)) log.system("build", `there is no preset for the framework ${framework}`);
  const source = order.framework === undefined ? "detected in the repository" : "set in the project";
  const build = plan.build_command === null ? "nothing to build" : `built by ${plan.build_command}`;
  log.system("build", `framework ${framework}, ${source}: ${build}, served from ${plan.output_directory}`);
  return plan;
}
