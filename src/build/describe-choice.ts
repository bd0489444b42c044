import { type BuildChoice, DEFINE_WEB } from "#build/choose-build.ts";
import type { ImageChoice } from "#build/choose-image.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import { shellWord } from "#node/shell-quote.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { STATIC } from "#project-files/frameworks/usual-preset.ts";
import type { FoundProcess } from "#project-files/processes/find-processes.ts";

/** Describes a choice in lines of the log. */
export function describeChoice(choice: BuildChoice): readonly string[] {
  const { plan, hasPreset: isKnown, isPublished, installFolder: folder, processes, releaseCommand } = choice;
  const { framework, install_command, build_command, output_directory } = plan;
  const unknown = isKnown ? [] : [`there is no preset for the framework ${framework}`];
  const where = folder === null ? "" : ` in the workspace \`${folder}\``;
  const install = install_command === null ? "" : `installed by ${install_command}${where}, `;
  const build = build_command === null ? "nothing to build" : `built by ${build_command}`;
  const folderText = choice.findsOutput ? "the folder that the build creates" : output_directory;
  const isSite = choice.problem === null ? `served from ${folderText}` : "not published";
  const use = isPublished ? isSite : "runs as a server";
  const way = choice.image === null ? `${install}${build}` : imageText(choice.image);
  return [
    ...unknown,
    `${frameworkText(choice)}: ${way}, ${use}`,
    ...choice.notes,
    ...(releaseCommand === null
      ? []
      : [`release command ${releaseCommand.command} (${releaseCommand.from})`]),
    ...(choice.image?.web == null
      ? []
      : [`process ${WEB} runs the command of the image (${startText(choice.image)})`]),
    ...processes.map((one) => `process ${one.name} runs ${one.definition.command} (${sourceOf(one)})`),
    ...choice.cron.map(
      ({ name, command, schedule }) => `job ${name} runs ${command} at ${schedule} (${GANTRY_JSON})`,
    ),
  ];
}

/** `image of docker/Dockerfile with the files of apps, stage web` */
function imageText({ dockerfile: { path, context, target } }: ImageChoice): string {
  const files = context === "." ? "" : ` with the files of ${context}`;
  return `image of ${path}${files}${target === undefined ? "" : `, stage ${target}`}`;
}

/** What an image starts, as far as its Dockerfile says it. */
export function startText({ facts: { entrypoint, command } }: ImageChoice): string {
  const parts = [entrypoint, command].flatMap((start) =>
    start === null ? [] : [start.kind === "shell" ? start.line : start.words.map(shellWord).join(" ")],
  );
  return parts.length === 0 ? "of its base image" : parts.join(" ");
}

/** An app without a known framework has the preset of a static site, and must not be described as one. */
function frameworkText(choice: BuildChoice): string {
  const { framework, reasons } = choice.plan;
  if (isWithoutFramework(choice)) return `no framework, because ${reasons.join(" and ")}`;
  return `framework ${framework}, ${whyFramework(choice)}`;
}

/** Whether the project runs as a server, and nothing names or shows its framework. */
export function isWithoutFramework({ plan, frameworkFrom, isPublished }: BuildChoice): boolean {
  return plan.framework === STATIC && frameworkFrom === "detected" && !isPublished;
}

function whyFramework({ frameworkFrom, plan }: BuildChoice): string {
  switch (frameworkFrom) {
    case "detected":
      return `detected because ${plan.reasons.join(" and ")}`;
    case "repository":
      return `set in ${GANTRY_JSON}`;
    case "project":
      return "set in the project";
  }
}

/** Where the command of a process is from, for people. */
export function sourceOf({ from }: FoundProcess): string {
  return from === "preset" ? "usual for this framework" : from;
}

/** What to do so that something answers for a project that has only other processes and jobs; null for other projects. */
export function startAdvice(choice: BuildChoice): string | null {
  const { isPublished, isStartedByProject, processes, problem, image } = choice;
  if (
    isPublished ||
    isStartedByProject ||
    image?.web != null ||
    problem !== null ||
    processes.some(({ name }) => name === WEB)
  )
    return null;
  return `nothing answers requests to this app: if something should, ${DEFINE_WEB}`;
}
