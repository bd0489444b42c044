import type { Output } from "#cli/output/output.ts";
import { printable } from "#cli/output/printable.ts";
import { shellWord } from "#node/shell-quote.ts";
import type { ComposeImport } from "#project-files/compose/import-compose.ts";
import type { Untaken } from "#project-files/compose/untaken.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";

/** What a Compose file becomes, in JSON. */
export function composeDocument(
  file: string,
  { roles, gantryJson, sharedPaths, variables, untaken }: ComposeImport,
) {
  const { databases, foreign, others } = roles;
  return {
    file,
    gantry_json: gantryJson,
    shared_paths: sharedPaths,
    variables: {
      plain: Object.fromEntries(variables.plain.map(({ name, value }) => [name, value])),
      secrets: variables.secrets,
      without_value: variables.unknown,
      addresses: variables.addresses.map(({ name, service }) => ({ name, service })),
      different: variables.different,
      files: variables.files,
    },
    databases,
    images_of_others: foreign,
    other_projects: others,
    not_taken: untaken.map(({ what, services, advice }) => ({ what, services, advice })),
  };
}

/** The same for a person: a file and command lines to copy, and then what is left to do. */
export function printImport(output: Output, file: string, imported: ComposeImport): void {
  const { roles, gantryJson, untaken } = imported;
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    output.line(output.style.bold(`${title}:`));
    for (const line of lines) output.line(printable(line));
    output.line();
  };
  const missing = `${file} has no service that is built from a Dockerfile in this folder.`;
  const [image] = roles.processes;
  section(GANTRY_JSON, gantryJson === null ? [missing] : JSON.stringify(gantryJson, null, 2).split("\n"));
  section("Commands", commandLines(imported));
  section("Variables to set by hand", openVariables(imported));
  section("Not run by Gantry", [
    ...roles.databases.map(
      ({ name, image: from, title }) =>
        `${name} (${from}): install ${title} on a server, or use one elsewhere, and set its address as a variable`,
    ),
    ...roles.foreign.map(
      ({ name, image: from }) =>
        `${name}${from === null ? "" : ` (${from})`}: Gantry runs images that it has built`,
    ),
    ...roles.others.map(
      ({ name, from }) =>
        `${name} (${from}): ${image === undefined ? "it is not in this folder" : "a project has one image, so make it a project of its own"}`,
    ),
  ]);
  section("Not taken", untaken.map(untakenLine));
}

function untakenLine({ what, services, advice }: Untaken): string {
  return `${what}${services.length === 0 ? "" : ` (${services.join(", ")})`}: ${advice}`;
}

function commandLines({
  sharedPaths,
  variables: { plain, secrets, addresses, files },
}: ComposeImport): readonly string[] {
  const line = (command: string, words: readonly string[]) =>
    words.length === 0 ? [] : [`gantry ${command} ${words.join(" ")}`];
  return [
    ...line(
      "projects set",
      sharedPaths.map((path) => `--shared-path ${shellWord(path)}`),
    ),
    ...line(
      "variables set",
      plain.map(({ name, value }) => `${name}=${shellWord(value)}`),
    ),
    ...line(
      "variables set",
      [...secrets, ...addresses.filter(({ isSecret }) => isSecret).map(({ name }) => name)].map(
        (name) => `--secret ${name}`,
      ),
    ),
    ...files.map((path) => `gantry variables import ${shellWord(path)}`),
  ];
}

function openVariables({ variables: { unknown, addresses, different } }: ComposeImport): readonly string[] {
  return [
    ...unknown.map((name) => `${name}: its value is not in the file`),
    ...addresses.map(
      ({ name, service }) => `${name}: its value names ${service}, which does not run in the project`,
    ),
    ...different.map((name) => `${name}: the services have different values, and a project has one`),
  ];
}
