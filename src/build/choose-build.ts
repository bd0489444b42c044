import { applySettings, detectFramework, hasPreset, presetFor } from "#contract/frameworks/preset-for.ts";
import { suggestReleaseCommand } from "#contract/frameworks/release-commands.ts";
import type { ChosenCommands } from "#contract/frameworks/tools/tool-needs.ts";
import type { Tree } from "#contract/frameworks/tree.ts";
import type { BuildSettings, Preset, ReportedPreset } from "#contract/endpoints/projects/schemas.ts";

/** How a project is built, and why. */
export type BuildChoice = {
  /** The settings to build with. */
  readonly plan: Preset;
  /** The settings of the framework, which the project's own take precedence over, and its usual release command. */
  readonly preset: Preset & Pick<ReportedPreset, "suggested_release_command">;
  readonly hasPreset: boolean;
  /** Whether the framework was detected; otherwise the project names it. */
  readonly isDetected: boolean;
  /** The first stage. Lines about the plan belong to it, because a stage begins with its first line. */
  readonly firstStage: "install" | "build";
  /** The commands that come from the preset. Those of the project's own may install the tools that they need. */
  readonly presetCommands: readonly string[];
};

/** Decides how a project is built: by its own settings, and otherwise by the framework's preset. */
export function chooseBuild(tree: Tree, settings: BuildSettings): BuildChoice {
  const framework = settings.framework ?? detectFramework(tree);
  const preset = presetFor(framework, tree);
  const plan = applySettings(settings, preset);
  const { install_command, build_command } = plan;
  const presetCommands = [
    settings.install_command === undefined ? install_command : null,
    settings.build_command === undefined ? build_command : null,
  ].filter((command) => command !== null);
  const suggested = suggestReleaseCommand(framework, tree);
  return {
    plan,
    preset: suggested === null ? preset : { ...preset, suggested_release_command: suggested },
    hasPreset: hasPreset(framework),
    isDetected: settings.framework === undefined,
    firstStage: install_command === null ? "build" : "install",
    presetCommands,
  };
}

/**
 * The commands of the project, by who chose them.
 * @param further commands of the project's settings, such as the activate command
 */
export function commandsOf(
  { plan: { install_command, build_command }, presetCommands }: BuildChoice,
  further: readonly (string | null)[] = [],
): ChosenCommands {
  const all = [install_command, build_command, ...further].filter((command) => command !== null);
  return { preset: presetCommands, own: all.filter((command) => !presetCommands.includes(command)) };
}

/** Describes the choice in lines of the log. */
export function describeChoice({ plan, hasPreset: isKnown, isDetected }: BuildChoice): readonly string[] {
  const { framework, install_command, build_command, output_directory } = plan;
  const unknown = isKnown ? [] : [`there is no preset for the framework ${framework}`];
  const source = isDetected ? "detected in the repository" : "set in the project";
  const install = install_command === null ? "" : `installed by ${install_command}, `;
  const build = build_command === null ? "nothing to build" : `built by ${build_command}`;
  return [
    ...unknown,
    `framework ${framework}, ${source}: ${install}${build}, served from ${output_directory}`,
  ];
}
