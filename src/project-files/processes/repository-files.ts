import type { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";
import {
  GANTRY_JSON,
  readGantryJson,
  type WrittenProcesses,
  type WrittenSettings,
} from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE, readProcfile } from "#project-files/processes/read-procfile.ts";

/** The files in which a repository describes its processes. */
export const definitionFiles = [GANTRY_JSON, PROCFILE] as const;
export type DefinitionFile = (typeof definitionFiles)[number];

/** A command, and the file that it is in. */
export type FileCommand = { readonly command: string; readonly from: DefinitionFile };

/** What a repository says about itself. */
export type RepositoryFiles = {
  /** The settings of gantry.json for the build. */
  readonly build: WrittenSettings;
  /** The processes of gantry.json; null if it does not exist. */
  readonly written: WrittenProcesses;
  /** The commands of the Procfile. */
  readonly procfile: ReadonlyMap<string, string>;
  /** The jobs of gantry.json. */
  readonly cron: readonly CronJob[];
  /** The command to run before the server switches to a release; null if there is none. */
  readonly releaseCommand: FileCommand | null;
  /** Whether gantry.json says that there is no release command. */
  readonly refusesReleaseCommand: boolean;
};

/** Reads the files. @param texts those that exist */
export function readRepositoryFiles(
  texts: ReadonlyMap<DefinitionFile, string>,
): ResultOf<RepositoryFiles, { readonly problem: FileProblem }> {
  const json = readGantryJson(texts.get(GANTRY_JSON) ?? "{}");
  if (!json.ok) return json;
  const procfile = readProcfile(texts.get(PROCFILE) ?? "");
  if (!procfile.ok) return procfile;
  const { processes: written = {}, cron = [], release_command: command, ...settings } = json.value;
  const { $schema: _, url: _url, project: _project, name: _name, ...build } = settings;
  const ofProcfile = procfile.value.releaseCommand;
  return succeed({
    build,
    written,
    cron,
    procfile: procfile.value.processes,
    releaseCommand:
      typeof command === "string"
        ? { command, from: GANTRY_JSON }
        : command === undefined && ofProcfile !== null
          ? { command: ofProcfile, from: PROCFILE }
          : null,
    refusesReleaseCommand: command === null,
  });
}
