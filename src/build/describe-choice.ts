import { type BuildChoice, DEFINE_WEB } from "#build/choose-build.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
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
  return [
    ...unknown,
    `${frameworkText(choice)}: ${install}${build}, ${use}`,
    ...choice.notes,
    ...(releaseCommand === null
      ? []
      : [`release command ${releaseCommand.command} (${releaseCommand.from})`]),
    ...processes.map((one) => `process ${one.name} runs ${one.definition.command} (${sourceOf(one)})`),
    ...choice.cron.map(
      ({ name, command, schedule }) => `job ${name} runs ${command} at ${schedule} (${GANTRY_JSON})`,
    ),
  ];
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
  const { isPublished, isStartedByProject, processes, problem } = choice;
  if (isPublished || isStartedByProject || problem !== null || processes.some(({ name }) => name === WEB))
    return null;
  return `nothing answers requests to this app: if something should, ${DEFINE_WEB}`;
}
