import type { BuildChoice } from "#build/choose-build.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { isWithoutFramework, sourceOf } from "#build/describe-choice.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";
import { imageDocument, imageFacts } from "#cli/views/image-facts.ts";
import type { Fact } from "#cli/output/facts.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { sourceText } from "#cli/views/deployment-text.ts";
import type { FoundProcess } from "#project-files/processes/find-processes.ts";
import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";

/** How a project would be built, in JSON. */
export function buildDocument(build: LocalBuild) {
  const { source, project, rootDirectory, choice } = build;
  const { top, commit, isInPlace } = source;
  return {
    repository: top,
    commit: commit?.sha ?? null,
    branch: commit?.branch ?? null,
    in_place: isInPlace,
    project: project === null ? null : { id: project.project.id, name: project.project.name },
    root_directory: rootDirectory,
    ...choice.plan,
    /** The folder in which the install command runs. */
    install_directory: choice.installFolder ?? rootDirectory,
    /** The settings that do not come from the project. */
    automatic: AutomaticSetting.options.filter((name) => isAutomatic(build, name)),
    preset: choice.preset,
    /** The repository's own processes, and its framework's. */
    processes: choice.processes.map(({ name, definition, from }) => ({ name, from, ...definition })),
    /** The jobs of gantry.json. */
    cron: choice.cron,
    release_command: project?.project.release_command ?? choice.releaseCommand?.command ?? null,
    suggested_worker: choice.suggestedWorker,
    /** Why a deployment would fail at once; null if nothing is wrong that the files show. */
    problem: choice.problem,
    /** The image that is built from a Dockerfile; null for other projects. */
    image: choice.image === null ? null : imageDocument(choice.image),
    notes: [...build.notes, ...choice.notes],
    package_manager: packageManager(build),
  };
}

/** How a project would be built, for a person. */
export function buildFacts(build: LocalBuild): readonly Fact[] {
  const { source, project, rootDirectory, choice } = build;
  const { commit, isInPlace, top } = source;
  const setting = (name: AutomaticSetting): string => {
    const [value, preset] = [choice.plan[name] ?? "none", choice.preset[name] ?? "none"];
    if (isAutomatic(build, name))
      return `${printable(value)}${name in choice.repositorySettings ? ` (${GANTRY_JSON})` : ""}`;
    return `${printable(value)} (set in the project${preset === value ? "" : `; automatic: ${printable(preset)}`})`;
  };
  const manager = packageManager(build);
  return [
    ["repository", printableName(top)],
    ["files", isInPlace || commit === null ? "as they are in the folder" : commitText(commit)],
    ["project", project === null ? null : printableName(project.project.name)],
    ["root directory", printableName(rootDirectory)],
    [
      "framework",
      isWithoutFramework(choice)
        ? "none is known"
        : choice.frameworkFrom === "detected"
          ? `${printable(choice.plan.framework)} (detected)`
          : isImplied(build)
            ? `${printable(choice.plan.framework)} (${choice.frameworkFrom === "project" ? "set in the project" : GANTRY_JSON})`
            : setting("framework"),
    ],
    ["because", choice.plan.reasons.length === 0 ? null : printable(choice.plan.reasons.join(", "))],
    ["type", typeText(choice)],
    ["what to do", choice.problem?.hint == null ? null : printable(choice.problem.hint)],
    ...choice.notes.map(
      (note) => [note.startsWith("the script ") ? "script" : "note", printable(note)] as const,
    ),
    ["package manager", manager === null ? null : managerText(manager)],
    ...(choice.image === null
      ? [
          ["install command", setting("install_command")] as const,
          ["installed in", choice.installFolder === null ? null : printable(choice.installFolder)] as const,
          ["build command", setting("build_command")] as const,
        ]
      : imageFacts(choice.image, project?.project.shared_paths ?? [])),
    ["release command", releaseText(build)],
    ...choice.processes.map((one) => [`process ${one.name}`, processText(one)] as const),
    ...choice.cron.map((job) => [`job ${job.name}`, cronText(job)] as const),
    ["suggested worker", choice.suggestedWorker === null ? null : printable(choice.suggestedWorker)],
    ["output directory", choice.image !== null ? null : outputText(choice, setting("output_directory"))],
    ["trailing slash", choice.isPublished ? setting("trailing_slash") : null],
    ["fallback", choice.isPublished ? setting("fallback") : null],
    ...build.notes.map((note) => ["note", printable(note)] as const),
  ];
}

function outputText({ isPublished, findsOutput, problem }: BuildChoice, setting: string): string | null {
  if (problem !== null && isPublished) return null;
  if (!isPublished) return "none is published (detected)";
  return findsOutput ? "the folder with an index.html that the build creates" : setting;
}

function typeText({ plan, problem }: BuildChoice): string {
  if (problem !== null) return `none: ${printable(problem.message)}`;
  return plan.app_type === "static" ? "static site" : "server";
}

function releaseText({ project, choice: { releaseCommand } }: LocalBuild): string | null {
  const own = project?.project.release_command ?? null;
  if (own !== null) return `${printable(own)} (set in the project)`;
  return releaseCommand === null ? null : `${printable(releaseCommand.command)} (${releaseCommand.from})`;
}

function processText(found: FoundProcess): string {
  const { command, ...rest } = found.definition;
  const more = Object.entries(rest).map(([name, value]) => `, ${name} ${String(value)}`);
  return `${printable(command)} (${sourceOf(found)}${more.join("")})`;
}

function cronText({ schedule, timezone, command }: CronJob): string {
  return `${printable(command)} at ${printable(timezone === undefined || timezone === "UTC" ? schedule : `${schedule} ${timezone}`)} (${GANTRY_JSON})`;
}

function isAutomatic({ project }: LocalBuild, name: AutomaticSetting): boolean {
  return project === null || project.project.automatic.includes(name);
}

/** Whether another setting names the framework: `dockerfile`. */
function isImplied(build: LocalBuild): boolean {
  return isAutomatic(build, "framework") && !("framework" in build.choice.repositorySettings);
}

function commitText({ sha, message, branch }: { sha: string; message: string; branch: string }): string {
  return sourceText({ branch, commit: sha.slice(0, 7), commit_message: message });
}

/** `null` for a project without a package.json. */
function packageManager({ tree }: LocalBuild) {
  if (!tree.signs.has("file:package.json")) return null;
  const { name, isLocked } = tree.packageManager;
  return { name: name === "yarn-classic" ? "yarn" : name, locked: isLocked };
}

function managerText({ name, locked }: { name: string; locked: boolean }): string {
  return `${name}, ${locked ? "with a lock file" : "without a lock file"}`;
}
