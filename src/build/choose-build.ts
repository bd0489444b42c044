import {
  chooseImage,
  dockerfileOf,
  type ImageChoice,
  type OtherSetting,
  dockerfileNotes,
  orImage,
} from "#build/choose-image.ts";
import { appBesidePage, siteNotes } from "#project-files/frameworks/app-beside-page.ts";
import { noSite } from "#project-files/frameworks/no-site.ts";
import {
  buildProblem,
  detectFramework,
  findsOutput,
  hasNodePackages,
  hasPreset,
  installFolder,
  isUnknown,
  NODE,
  presetFor,
  startsNothing,
} from "#project-files/frameworks/preset-for.ts";
import { applySettings, STATIC } from "#project-files/frameworks/usual-preset.ts";
import { noStart } from "#project-files/frameworks/servers/no-start.ts";
import { scriptNotes } from "#project-files/frameworks/servers/node-server.ts";
import { suggestWorker } from "#project-files/frameworks/servers/suggest-workers.ts";
import { suggestReleaseCommand } from "#project-files/frameworks/release-commands.ts";
import type { ChosenCommands } from "#project-files/frameworks/tools/tool-needs.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { type AllProcessSettings, WEB } from "#contract/endpoints/processes/schemas.ts";
import { type BuildSettings, DOCKERFILE, type Dockerfile } from "#contract/endpoints/projects/settings.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";
import { findProcesses, type FoundProcess } from "#project-files/processes/find-processes.ts";
import type { WrittenSettings } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";
import type { FileCommand, RepositoryFiles } from "#project-files/processes/repository-files.ts";

/** The settings of a project that decide how it is built and started. */
export type ChosenSettings = BuildSettings & {
  readonly dockerfile?: Dockerfile | null | undefined;
  readonly release_command?: string | null | undefined;
  readonly activate_command?: string | null;
  readonly processes?: AllProcessSettings | undefined;
  readonly cron?: readonly unknown[] | undefined;
};

/** How a project is built, and why. */
export type BuildChoice = {
  /** The settings to build with. */
  readonly plan: DetectedPreset;
  /**
   * The settings of the framework and of gantry.json, which the project's own take precedence over, and the usual
   * release command.
   */
  readonly preset: DetectedPreset;
  readonly hasPreset: boolean;
  /** The settings of gantry.json. */
  readonly repositorySettings: WrittenSettings;
  /** Who names the framework; `detected` if nobody does. */
  readonly frameworkFrom: "detected" | "repository" | "project";
  /** The first stage. Lines about the plan belong to it, because a stage begins with its first line. */
  readonly firstStage: "install" | "build";
  /** The commands that come from the preset. Others may install the tools that they need. */
  readonly presetCommands: readonly string[];
  /** Whether the install command is the preset's. */
  readonly isPresetInstall: boolean;
  /** The folder in the repository in which the install command runs; null if it is the project's root directory. */
  readonly installFolder: string | null;
  /** Why these files cannot be built for a server; null if they can. */
  readonly problem: FileProblem | null;
  /** The image that the project is built into; null: its commands build it, or its Dockerfile cannot be used (`problem`). */
  readonly image: ImageChoice | null;
  /** Whether the output directory is published. Otherwise the app runs as a server. */
  readonly isPublished: boolean;
  /** Whether the project or gantry.json decides about the fallback. */
  readonly setsFallback: boolean;
  /** The processes that the repository defines. */
  readonly processes: readonly FoundProcess[];
  /** The jobs that the repository defines. */
  readonly cron: readonly CronJob[];
  /** The release command that the repository defines, if the project has none. */
  readonly releaseCommand: FileCommand | null;
  /** Whether the published folder is found after the build: a folder with a page that it creates. */
  readonly findsOutput: boolean;
  /** Whether the output directory is named by a setting. It is then published also without an index.html. */
  readonly isOutputNamed: boolean;
  /** Lines for the log about the scripts of package.json: which of them start the app, and which do not. */
  readonly notes: readonly string[];
  /** The usual command of a process `worker`, which is not started by itself; null if the repository defines processes. */
  readonly suggestedWorker: string | null;
  /** Whether the project starts the app itself, by its own command or its own process `web`. */
  readonly isStartedByProject: boolean;
};

/** Decides how a project is built: by its own settings, then by its gantry.json, and otherwise by the framework's preset. */
export function chooseBuild(tree: Tree, files: RepositoryFiles, settings: ChosenSettings): BuildChoice {
  const { build } = files;
  const namesImage = (settings.dockerfile ?? build.dockerfile ?? null) !== null;
  const named = settings.framework ?? build.framework ?? (namesImage ? DOCKERFILE : undefined);
  const isSet = (name: keyof BuildSettings) => settings[name] !== undefined || build[name] !== undefined;
  const startsItself = (settings.activate_command ?? null) !== null;
  const namesOutput = isSet("output_directory");
  const written = findProcesses(files, { presetCommand: null, startsItself, namesOutput });
  const hasWritten = written.ok && written.value.length > 0;
  // Without a page, its files are the source code of something that only its processes or its activate command run.
  const isSource = (hasWritten || startsItself) && named === undefined && !namesOutput && isUnknown(tree);
  const needsPackages = isSource && hasWritten && hasNodePackages(tree);
  // What is built and started in another way stays so, whatever files are beside it.
  const isBuiltOtherwise =
    hasWritten || startsItself || namesOutput || isSet("install_command") || isSet("build_command");
  const isImage =
    named === undefined
      ? tree.dockerfile !== null && startsNothing(tree) && !isBuiltOtherwise
      : named === DOCKERFILE;
  const framework = named ?? (isImage ? DOCKERFILE : needsPackages ? NODE : detectFramework(tree));
  const usual = presetFor(framework, tree);
  const preset = applySettings(build, usual);
  const plan = applySettings(settings, preset);
  // The process web of an image has the image's own command, which is known after the build.
  const { [WEB]: writtenWeb = {}, ...writtenOthers } = files.written;
  const { command: webCommand, ...webFields } = writtenWeb;
  const hasOwnCommand = isImage && webCommand === undefined && !files.procfile.has(WEB);
  const found = findProcesses(hasOwnCommand ? { ...files, written: writtenOthers } : files, {
    presetCommand: plan.app_type === "server" && !namesOutput ? usual.start_command : null,
    startsItself,
    namesOutput,
  });
  const processes = found.ok ? found.value : [];
  const web = processes.find(({ name }) => name === WEB);
  const isServer = web !== undefined || isSource || plan.app_type === "server";
  const unused: readonly OtherSetting[] = [
    ...(["install_command", "build_command"] as const).filter((name) => plan[name] !== null),
    ...(namesOutput ? (["output_directory"] as const) : []),
    ...(startsItself ? (["activate_command"] as const) : []),
  ];
  const imageRequest = {
    dockerfile: dockerfileOf(settings, build),
    unused,
    web: hasOwnCommand ? webFields : null,
    containerPort: settings.processes?.[WEB]?.container_port ?? webFields.container_port,
  };
  const decided = isImage ? chooseImage(tree, imageRequest) : null;
  const reasons = needsPackages
    ? ["package.json has dependencies"]
    : isImage && named === undefined
      ? [`${tree.dockerfile?.path ?? ""} exists`, "no other file names a framework"]
      : usual.reasons;
  const facts = {
    reasons,
    ...(isServer ? { app_type: "server" as const } : {}),
    ...(web === undefined ? {} : { start_command: web.definition.command }),
    ...(web === undefined || web.from === "preset"
      ? {}
      : { reasons: [...reasons, `${web.from} defines the process ${WEB}`] }),
  };
  const isIgnored = startsItself && files.releaseCommand?.from === PROCFILE;
  const isReleaseUsed = (settings.release_command ?? null) === null && !isIgnored;
  const isPresetInstall = !isSet("install_command") && !isSet("build_command");
  const presetCommands = [
    isPresetInstall ? plan.install_command : null,
    isSet("build_command") ? null : plan.build_command,
  ].filter((command) => command !== null);
  // A command that the repository defines runs without being set, so it is not suggested.
  const hasReleaseCommand = files.refusesReleaseCommand || (isReleaseUsed && files.releaseCommand !== null);
  const suggested = hasReleaseCommand
    ? null
    : (files.releaseCommand?.command ?? suggestReleaseCommand(framework, tree));
  const isPublished =
    web === undefined && !isSource && !isImage && (plan.app_type === "static" || namesOutput);
  const isStartedByProject = startsItself || settings.processes?.[WEB]?.command !== undefined;
  // A build command or an output directory of its own may be the solution.
  const unbuildable = isSet("build_command") || namesOutput ? null : buildProblem(framework, tree);
  const isDeliberate =
    isImage ||
    isStartedByProject ||
    processes.length > 0 ||
    Object.keys(settings.processes ?? {}).length > 0 ||
    files.cron.length > 0 ||
    (settings.cron ?? []).length > 0 ||
    (settings.release_command ?? null) !== null ||
    files.releaseCommand !== null;
  const problem =
    unbuildable !== null
      ? { message: unbuildable, hint: null }
      : isPublished
        ? publishProblem(tree, plan, { framework, namesOutput })
        : isDeliberate
          ? null
          : startProblem(framework, tree);
  return {
    plan: { ...plan, ...facts },
    preset: {
      ...preset,
      ...facts,
      ...(suggested === null ? {} : { suggested_release_command: suggested }),
      ...(processes.length === 0 ? {} : { processes: definitionsOf(processes) }),
      ...reportedDefinitions(processes, files.cron, isIgnored ? null : files.releaseCommand),
    },
    hasPreset: hasPreset(framework),
    repositorySettings: build,
    frameworkFrom:
      settings.framework !== undefined ||
      (build.framework === undefined && (settings.dockerfile ?? null) !== null)
        ? "project"
        : named === undefined
          ? "detected"
          : "repository",
    firstStage: plan.install_command === null ? "build" : "install",
    presetCommands,
    isPresetInstall,
    installFolder: isSet("install_command") ? null : installFolder(framework, tree),
    problem: found.ok ? (isImage ? (decided?.problem ?? problem) : orImage(problem, tree)) : found.problem,
    image: decided?.image ?? null,
    isPublished,
    findsOutput:
      isPublished && !namesOutput && plan.build_command !== null && searches(framework, tree, plan),
    isOutputNamed: namesOutput,
    setsFallback: isSet("fallback"),
    processes,
    cron: files.cron,
    releaseCommand: isReleaseUsed ? files.releaseCommand : null,
    notes: [
      ...(isImage ? [] : scriptNotes(tree, isPublished ? null : (web?.definition.command ?? ""))),
      ...dockerfileNotes(tree, decided),
      ...(isPublished && problem === null && !(namesOutput && plan.output_directory !== ".")
        ? siteNotes(tree, {
            output: framework === STATIC ? plan.output_directory : "",
            hasFallback: plan.fallback !== null,
          })
        : []),
    ],
    suggestedWorker:
      isImage || startsItself || processes.some(({ name }) => name !== WEB) ? null : suggestWorker(tree),
    isStartedByProject,
  };
}

/** Whether only the build shows which folder is published. */
function searches(framework: string, tree: Tree, plan: DetectedPreset): boolean {
  if (findsOutput(framework, tree)) return true;
  // A build command of the project's own, for files without a framework.
  return (
    !hasPreset(framework) || (framework === STATIC && startsNothing(tree) && plan.output_directory === ".")
  );
}

/** Why the files of a project must not be published; null if they may be a site, which is checked after the build. */
function publishProblem(
  tree: Tree,
  plan: DetectedPreset,
  { framework, namesOutput }: { readonly framework: string; readonly namesOutput: boolean },
): FileProblem | null {
  const isBuilt = plan.build_command !== null || plan.install_command !== null;
  if (namesOutput || isBuilt || plan.output_directory !== ".") return null;
  const { signs } = tree;
  if (framework === STATIC && signs.has("file:index.html")) return appBesidePage(tree);
  if (!startsNothing(tree)) return null;
  const { message, hint } = noSite(tree);
  return hasPreset(framework)
    ? { message, hint }
    : { message: `there is no preset for the framework ${framework}, and ${message}`, hint };
}

/** What to do so that an app that runs as a server is started. */
export const DEFINE_WEB =
  "define the process web in a Procfile (`web: COMMAND`), in gantry.json or in the project's processes";

/** Why a project that publishes nothing cannot go live: nothing would answer. */
function startProblem(framework: string, tree: Tree): FileProblem {
  const { why, hint } = noStart(framework, tree) ?? { why: "no command for it is known", hint: null };
  const advice = hint === null ? DEFINE_WEB : `${hint}, or ${DEFINE_WEB}`;
  return {
    message: `nothing starts this app: ${why}`,
    hint: `${advice.slice(0, 1).toUpperCase()}${advice.slice(1)}. To publish files instead, set output_directory.`,
  };
}

/** The processes as they are recorded and reported. */
export function definitionsOf(processes: readonly FoundProcess[]): NonNullable<DetectedPreset["processes"]> {
  return Object.fromEntries(processes.map(({ name, definition }) => [name, definition]));
}

/** Reports which files the definitions are from; nothing if there are none. */
function reportedDefinitions(
  processes: readonly FoundProcess[],
  cron: readonly CronJob[],
  releaseCommand: FileCommand | null,
): Pick<DetectedPreset, "repository_definitions"> {
  if (processes.length + cron.length === 0 && releaseCommand === null) return {};
  return {
    repository_definitions: {
      release_command: releaseCommand,
      processes: Object.fromEntries(processes.map(({ name, from }) => [name, from])),
      cron: [...cron],
    },
  };
}

/**
 * A choice with the command of its image, which is known after the build: the process `web` runs it, unless the repository has
 * a command for `web`.
 * @param command as a line for the shell
 */
export function withImageCommand(choice: BuildChoice, command: string): BuildChoice {
  const fields = choice.image?.web ?? null;
  if (fields === null) return choice;
  const web: FoundProcess = { name: WEB, definition: { ...fields, command }, from: "preset" };
  const processes = [web, ...choice.processes];
  const { repository_definitions: defined } = choice.preset;
  const preset: DetectedPreset = {
    ...choice.preset,
    start_command: command,
    processes: definitionsOf(processes),
    repository_definitions: {
      release_command: defined?.release_command ?? null,
      processes: { ...defined?.processes, [WEB]: web.from },
      cron: defined?.cron ?? [],
    },
  };
  return { ...choice, processes, preset, plan: { ...choice.plan, start_command: command } };
}

/**
 * The commands of the project, by who chose them. Commands in containers of an image need nothing of the server.
 * @param further commands of the project's settings, such as the activate command
 */
export function commandsOf(choice: BuildChoice, further: readonly (string | null)[] = []): ChosenCommands {
  if (choice.image !== null) return { preset: [], own: [] };
  const { plan, presetCommands, processes, cron, releaseCommand } = choice;
  const { install_command, build_command } = plan;
  const started = [...processes.map(({ definition }) => definition), ...cron].map(({ command }) => command);
  const all = [install_command, build_command, releaseCommand?.command ?? null, ...started, ...further];
  const own = all.filter((command) => command !== null && !presetCommands.includes(command));
  return { preset: presetCommands, own: own.filter((command) => command !== null) };
}
