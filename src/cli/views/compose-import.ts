import type { Output } from "#cli/output/output.ts";
import { printable } from "#cli/output/printable.ts";
import { shellWord } from "#node/shell-quote.ts";
import type { ComposeImport, PulledProject } from "#project-files/compose/import-compose.ts";
import type { Untaken } from "#project-files/compose/untaken.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";

/** What a Compose file becomes, in JSON. */
export function composeDocument(
  file: string,
  { roles, gantryJson, project, healthCheck, sharedPaths, variables, untaken }: ComposeImport,
) {
  const { databases, proxies, foreign, others } = roles;
  return {
    file,
    gantry_json: gantryJson,
    /** For an image of a registry, which no gantry.json is for. */
    project:
      project === null
        ? null
        : {
            name: project.name,
            repository: project.image.repository,
            branch: project.image.tag,
            commit: project.image.digest,
            processes: project.processes,
            release_command: project.releaseCommand,
          },
    health_check: healthCheck === null ? null : { path: healthCheck },
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
    proxies,
    images_of_others: foreign.map(({ name, image }) => ({ name, image })),
    other_projects: others.map(({ name, from }) => ({ name, from })),
    not_taken: untaken.map(({ what, services, advice }) => ({ what, services, advice })),
  };
}

/** The same for a person: a file and command lines to copy, and then what is left to do. */
export function printImport(output: Output, file: string, imported: ComposeImport): void {
  const { roles, gantryJson, project, untaken } = imported;
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    output.line(output.style.bold(`${title}:`));
    for (const line of lines) output.line(printable(line));
    output.line();
  };
  const missing = `${file} has no service that is built from a Dockerfile in this folder.`;
  if (project === null)
    section(GANTRY_JSON, gantryJson === null ? [missing] : JSON.stringify(gantryJson, null, 2).split("\n"));
  section("Commands", commandLines(imported));
  section("Variables to set by hand", openVariables(imported));
  section("Not run by Gantry", [
    ...roles.databases.map(
      ({ name, image: from, title }) =>
        `${name} (${from}): install ${title} on a server, or use one elsewhere, and set its address as a variable`,
    ),
    ...roles.proxies.map(
      ({ name, image: from }) =>
        `${name} (${from}): the ingress of the server leads visitors to the app, and has its certificate`,
    ),
  ]);
  section("Projects of their own", [
    ...roles.others.map(
      ({ name, from, isHere }) =>
        `${name} (${from}): ${isHere ? "a project has one image" : "it is not in this folder"}`,
    ),
    ...roles.foreign.map(foreignText),
  ]);
  section("Not taken", untaken.map(untakenLine));
}

function foreignText({ name, image, pulled }: ComposeImport["roles"]["foreign"][number]): string {
  if (image === null)
    return `${name}: it has no image and no build. If the file completes another one, name both`;
  if (pulled === null)
    return `${name} (${image}): if visitors reach it by HTTP, a project with the repository docker://HOST/NAME of its image`;
  return `${name} (${image}): if visitors reach it by HTTP, a project with --repository ${pulled.repository} --branch ${pulled.tag}`;
}

function untakenLine({ what, services, advice }: Untaken): string {
  return `${what}${services.length === 0 ? "" : ` (${services.join(", ")})`}: ${advice}`;
}

function commandLines({
  project,
  healthCheck,
  sharedPaths,
  variables: { plain, secrets, addresses, files },
}: ComposeImport): readonly string[] {
  const line = (command: string, words: readonly string[]) =>
    words.length === 0 ? [] : [`gantry ${command} ${words.join(" ")}`];
  const settings = [
    ...(healthCheck === null ? [] : [`--health-check ${shellWord(healthCheck)}`]),
    ...sharedPaths.map((path) => `--shared-path ${shellWord(path)}`),
  ];
  return [
    ...(project === null
      ? line("projects set", settings)
      : line("projects create", [...createWords(project), ...settings, "--link"])),
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
    ...(project === null || project.image.digest === null
      ? []
      : [`gantry deploy --commit sha256:${project.image.digest}`]),
  ];
}

/** The words that create a project with an image of a registry. Its processes are settings of the project. */
function createWords({ name, image, processes, releaseCommand }: PulledProject): readonly string[] {
  const fields = Object.entries(processes).flatMap(([process, settings]) =>
    Object.entries(settings).map(
      ([field, value]) => `--process ${process}.${field}=${shellWord(String(value))}`,
    ),
  );
  return [
    shellWord(name),
    `--repository ${image.repository} --branch ${image.tag}`,
    ...fields,
    ...(releaseCommand === null ? [] : [`--release-command ${shellWord(releaseCommand)}`]),
  ];
}

function openVariables({ variables: { unknown, addresses, different } }: ComposeImport): readonly string[] {
  return [
    ...(unknown.length === 0
      ? []
      : [
          `${unknown.join(", ")}: not in the file: Compose has ${unknown.length === 1 ? "it" : "them"} from .env or from your machine`,
        ]),
    ...addresses.map(
      ({ name, service }) => `${name}: its value names ${service}, which does not run in the project`,
    ),
    ...different.map((name) => `${name}: the services have different values, and a project has one`),
  ];
}
