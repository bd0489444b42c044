import {
  applySettings,
  buildProblem,
  detectFramework,
  hasPreset,
  installFolder,
  presetFor,
  publishesFiles,
} from "#contract/frameworks/preset-for.ts";
import { suggestReleaseCommand } from "#contract/frameworks/release-commands.ts";
import type { ChosenCommands } from "#contract/frameworks/tools/tool-needs.ts";
import type { Tree } from "#contract/frameworks/tree.ts";
import type { BuildSettings } from "#contract/endpoints/projects/schemas.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/reported-preset.ts";

/** How a project is built, and why. */
export type BuildChoice = {
  /** The settings to build with. */
  readonly plan: DetectedPreset;
  /** The settings of the framework, which the project's own take precedence over, and its usual release command. */
  readonly preset: DetectedPreset;
  readonly hasPreset: boolean;
  /** Whether the framework was detected; otherwise the project names it. */
  readonly isDetected: boolean;
  /** The first stage. Lines about the plan belong to it, because a stage begins with its first line. */
  readonly firstStage: "install" | "build";
  /** The commands that come from the preset. Those of the project's own may install the tools that they need. */
  readonly presetCommands: readonly string[];
  /** The folder in the repository in which the install command runs; null if it is the project's root directory. */
  readonly installFolder: string | null;
  /** Why these files cannot be built for a server, in a sentence; null if they can. */
  readonly problem: string | null;
  /** Whether the output directory is published. Otherwise the app runs as a server. */
  readonly isPublished: boolean;
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
  // A build command or an output directory of the project's own may be the solution.
  const isPreset = settings.build_command === undefined && settings.output_directory === undefined;
  return {
    plan,
    preset: suggested === null ? preset : { ...preset, suggested_release_command: suggested },
    hasPreset: hasPreset(framework),
    isDetected: settings.framework === undefined,
    firstStage: install_command === null ? "build" : "install",
    presetCommands,
    installFolder: settings.install_command === undefined ? installFolder(framework, tree) : null,
    problem: isPreset ? buildProblem(framework, tree) : null,
    isPublished: publishesFiles(settings, plan),
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
export function describeChoice(choice: BuildChoice): readonly string[] {
  const { plan, hasPreset: isKnown, isDetected, isPublished, installFolder: folder } = choice;
  const { framework, install_command, build_command, output_directory, reasons } = plan;
  const unknown = isKnown ? [] : [`there is no preset for the framework ${framework}`];
  const source = isDetected ? `detected because ${reasons.join(" and ")}` : "set in the project";
  const where = folder === null ? "" : ` in the workspace \`${folder}\``;
  const install = install_command === null ? "" : `installed by ${install_command}${where}, `;
  const build = build_command === null ? "nothing to build" : `built by ${build_command}`;
  const use = isPublished ? `served from ${output_directory}` : "runs as a server";
  return [...unknown, `framework ${framework}, ${source}: ${install}${build}, ${use}`];
}

/** What to do so that an app that runs as a server is started; null for other projects. */
export function startAdvice({ plan, isPublished }: BuildChoice): string | null {
  if (isPublished) return null;
  const example = plan.start_command === null ? "" : ` (\`${plan.start_command} &\`)`;
  return `nothing starts this app: set an activate_command that restarts its service, or starts it in the background${example}. To publish files instead, set output_directory.`;
}
