import { MAX_PROCESSES, type ProcessDefinition, WEB } from "#contract/endpoints/processes/schemas.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type FileProblem, unusable } from "#project-files/processes/file-problem.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";
import type { DefinitionFile, RepositoryFiles } from "#project-files/processes/repository-files.ts";

/** A process of a repository. `from`: the file with its command; `preset` if its framework has it. */
export type FoundProcess = {
  readonly name: string;
  readonly definition: ProcessDefinition;
  readonly from: DefinitionFile | "preset";
};

/** What of a repository's processes counts for a project. */
export type ProcessRules = {
  /** The command by which the preset starts the app; null if it is unknown or the project publishes files. */
  readonly presetCommand: string | null;
  /** Whether the project starts its app itself, by its activate_command. Then only gantry.json counts. */
  readonly startsItself: boolean;
  /** Whether the project names the folder to publish. Then the `web` of a Procfile does not count. */
  readonly namesOutput: boolean;
};

/** The processes that a repository defines: those of gantry.json, then of the Procfile, then of the preset. */
export function findProcesses(
  { written, procfile }: Pick<RepositoryFiles, "written" | "procfile">,
  { presetCommand, startsItself, namesOutput }: ProcessRules,
): ResultOf<readonly FoundProcess[], { readonly problem: FileProblem }> {
  const found = new Map<string, FoundProcess>();
  const add = (name: string, command: string, from: FoundProcess["from"]) =>
    found.set(name, { name, definition: { command }, from });
  if (!startsItself) {
    if (presetCommand !== null) add(WEB, presetCommand, "preset");
    for (const [name, command] of procfile) if (name !== WEB || !namesOutput) add(name, command, PROCFILE);
  }
  for (const [name, fields] of Object.entries(written)) {
    const earlier = found.get(name);
    const command = fields.command ?? earlier?.definition.command;
    if (command === undefined)
      return unusable(
        `the process \`${name}\` of ${GANTRY_JSON} has no command, and no command for it is known`,
        `Add a \`command\` to \`processes.${name}\` of ${GANTRY_JSON}.`,
      );
    const from = fields.command === undefined ? (earlier?.from ?? GANTRY_JSON) : GANTRY_JSON;
    found.set(name, { name, definition: { ...fields, command }, from });
  }
  if (found.size > MAX_PROCESSES)
    return unusable(
      `${GANTRY_JSON} and the ${PROCFILE} define ${found.size} processes, and at most ${MAX_PROCESSES} are allowed`,
      "Remove some of them.",
    );
  return succeed([...found.values()].toSorted((a, b) => rank(a) - rank(b)));
}

/** `web` first, because the domain leads to it. */
const rank = ({ name }: FoundProcess): number => (name === WEB ? 0 : 1);
