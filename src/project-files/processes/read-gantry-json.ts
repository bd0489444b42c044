import * as z from "zod/mini";

import "#contract/issue-messages.ts";
import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import { CronJob } from "#contract/endpoints/cron/job-schemas.ts";
import { byName, ProcessDefinition } from "#contract/endpoints/processes/schemas.ts";
import { ProjectSettings, repositorySettings } from "#contract/endpoints/projects/project-settings.ts";
import { Dockerfile } from "#contract/endpoints/projects/settings.ts";
import { RequestedPath } from "#contract/git-names.ts";
import { parseLocatedJson } from "#contract/lib/located-json.ts";
import { pick } from "#contract/lib/pick.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { suggest } from "#contract/lib/suggest.ts";
import { type FileProblem, shown, unusable } from "#project-files/processes/file-problem.ts";

/** The processes of the file. A process without a command has the command of the Procfile or of the framework. */
export const WrittenProcesses = byName(z.partial(ProcessDefinition));
export type WrittenProcesses = z.infer<typeof WrittenProcesses>;

/** The name of the file. */
export const GANTRY_JSON = "gantry.json";

/**
 * What a repository says about its build, its processes and its cron jobs. The project's own settings take precedence.
 * `release_command`: null means none, also if the Procfile has one. `$schema` is for editors, and `url`, `project` and `name` are for the
 * command: `gantry projects link` writes them.
 */
export const GantryJson = z.partial(
  z.strictObject({
    $schema: z.string(),
    url: z.string(),
    project: z.string(),
    name: z.string(),
    ...pick(ProjectSettings.shape, repositorySettings),
    output_directory: RequestedPath,
    processes: WrittenProcesses,
  }),
);
export type GantryJson = z.infer<typeof GantryJson>;

/** The settings of the file, without settings that also come from elsewhere in the repository. */
export type WrittenSettings = Omit<
  GantryJson,
  "$schema" | "url" | "project" | "name" | "processes" | "cron" | "release_command"
>;

/** Reads gantry.json. An unknown key is refused, because it is probably misspelled. */
export function readGantryJson(text: string): ResultOf<GantryJson, { readonly problem: FileProblem }> {
  const json = parseLocatedJson(text);
  if (!json.ok) {
    const { message, place } = json.problem;
    return unusable(
      `${GANTRY_JSON} is not JSON: ${message}, in line ${place.line}, column ${place.column}`,
      `Correct line ${place.line} of ${GANTRY_JSON}.`,
    );
  }
  const { value, placeOf } = json.value;
  const parsed = GantryJson.safeParse(value);
  const wrongJob = parsed.success ? findCronProblem(parsed.data.cron ?? []) : null;
  if (wrongJob !== null) {
    const path = ["cron", ...wrongJob.path];
    const { line } = placeOf(path);
    return unusable(
      `line ${line} of ${GANTRY_JSON} is wrong: ${shown(path.join("."))}: ${wrongJob.message}`,
      "The page Commands and cron of the documentation describes schedules.",
    );
  }
  if (parsed.success) return succeed(parsed.data);
  const [issue] = parsed.error.issues;
  if (issue === undefined) return unusable(`${GANTRY_JSON} is wrong`, DOCUMENTED);
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const { line } = placeOf([...issue.path, key]);
    const names = knownKeys(issue.path);
    const near = suggest(key, names);
    const what = `line ${line} of ${GANTRY_JSON} has the unknown key ${shown(key)}${inside(issue.path)}`;
    return near === null
      ? unusable(what, `The keys are ${names.map((name) => `\`${name}\``).join(", ")}.`)
      : unusable(what, `Did you mean \`${near}\`?`);
  }
  const { line } = placeOf(issue.path);
  const path = issue.path.length === 0 ? "" : ` ${shown(issue.path.join("."))}:`;
  return unusable(`line ${line} of ${GANTRY_JSON} is wrong:${path} ${reasonOf(issue)}`, hintOf(issue));
}

/** A process is most often wrong as the text of its command, as in a Procfile. */
function hintOf({ code, path }: z.core.$ZodIssue): string {
  const isProcess = code === "invalid_type" && path[0] === "processes" && path.length === 2;
  return isProcess ? `Write a process as an object, such as { "command": "npm start" }.` : DOCUMENTED;
}

const DOCUMENTED = "The page Processes of the documentation lists the keys and their values.";

/** A problem with the name of a process is inside the issue of its record. */
function reasonOf(issue: z.core.$ZodIssue): string {
  const [inner] = issue.code === "invalid_key" ? issue.issues : [];
  return lowerFirst((inner ?? issue).message);
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path[0] === "dockerfile") return Object.keys(Dockerfile.shape);
  if (path[0] === "cron") return Object.keys(CronJob.shape);
  if (path[0] !== "processes") return Object.keys(GantryJson.shape).filter((key) => !key.startsWith("$"));
  return Object.keys(WrittenProcesses.def.valueType.shape);
}

function inside(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : ` in ${shown(path.join("."))}`;
}
