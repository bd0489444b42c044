import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";

import { readDataFile } from "#build/tree/read-data-file.ts";
import { readTreeFile } from "#build/tree/read-tree-file.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { readGit } from "#cli/builds/git.ts";
import type { CommandContext } from "#cli/context.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { composeDocument, printImport } from "#cli/views/compose-import.ts";
import { succeed } from "#contract/lib/result.ts";
import { shellWord } from "#node/shell-quote.ts";
import { composeFiles, MAX_COMPOSE_BYTES, overrideFiles } from "#project-files/compose/compose-files.ts";
import { importCompose } from "#project-files/compose/import-compose.ts";
import type { ComposeText } from "#project-files/compose/read-compose.ts";
import type { Service } from "#project-files/compose/read-service.ts";
import { isBound } from "#project-files/compose/shared-volumes.ts";
import { type ComposeImage, rolesOf } from "#project-files/compose/roles.ts";
import { MAX_DOCKERFILE_BYTES, readDockerfile } from "#project-files/dockerfile/read-dockerfile.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";

const hint = "Check that it is the right file.";

export const importComposeCommand = defineCommand({
  name: "import compose",
  isGroupDefault: true,
  summary: "Show what of a Compose file Gantry can run, and how",
  details: [
    "Prints a gantry.json with the services as processes, and the commands that set the shared paths and the variables. Then what Gantry does not run, such as databases, and what cannot be taken, with what to do instead. Changes nothing, and needs no network.",
    "Run it in the root directory of the project. One project has one image: services that are built from another Dockerfile are named. If no service is built, prints the command for a project that runs an image of a registry. Values that look like secrets, and addresses of services that Gantry does not run, are not printed: set them by hand.",
    "Several files are merged, as by docker compose --file. Paths are relative to the folder of the first one.",
  ],
  words: {
    file: { isRequired: false, isList: true, help: `Path of a file (default: ${composeFiles.join(", ")})` },
  },
  options: {},
  examples: [
    "import compose",
    "import compose compose.yaml compose.prod.yaml",
    "import compose docker/compose.prod.yml --json",
  ],
  async run(context, { words }) {
    const { folder, output } = context;
    const found = await findCompose(folder, words.file);
    if (!found.ok) return found;
    const { files, place } = found.value;
    const path = files.map((one) => one.path).join(" and ");
    // Loaded only now, because other commands need no parser of YAML.
    const { readComposeFiles } = await import("#project-files/compose/read-compose.ts");
    const compose = readComposeFiles(files);
    if (!compose.ok)
      return stop(
        "unreadable_file",
        [`${compose.problem.message}.`, compose.problem.hint ?? ""].join(" ").trim(),
      );
    const { image, processes } = rolesOf(compose.value.services, place);
    const workdir = image === null ? null : await readWorkdir(folder, image);
    const committed = await committedSources(context, place, processes);
    const imported = importCompose(compose.value, {
      folder: place,
      workdir,
      isCommitted: (source) => committed.has(source),
      lineOf: (line) => line.map(shellWord).join(" "),
    });
    output.json(composeDocument(path, imported));
    printImport(output, path, imported);
    if (imported.gantryJson !== null && existsSync(join(folder, GANTRY_JSON)))
      output.note(`${GANTRY_JSON} exists already: add these keys to it.`);
    const override =
      words.file.length > 0 ? undefined : overrideFiles.find((name) => existsSync(join(folder, name)));
    if (override !== undefined)
      output.note(
        `${override} is not read, because it is most often for development. To merge it, name both files.`,
      );
    return imported.gantryJson === null && imported.project === null ? { ok: true, exit: "failed" } : done;
  },
});

/** `place`: the folder of the first file, relative to the root directory. */
type Found = { readonly files: readonly ComposeText[]; readonly place: string };

async function findCompose(folder: string, given: readonly string[]): Promise<Result<Found>> {
  const usual = composeFiles.find((name) => existsSync(join(folder, name)));
  const paths = given.length > 0 ? given : usual === undefined ? [] : [usual];
  const [first] = paths;
  if (first === undefined)
    return stop("unreadable_file", `There is no ${composeFiles.join(", ")} here. Name the file.`);
  const files: ComposeText[] = [];
  for (const path of paths) {
    const read = await readFileHere(folder, path);
    if (!read.ok) return read;
    files.push({ path, text: read.value });
  }
  return succeed({ files, place: placeOf(folder, first) });
}

/** The folder of a file, relative to another one. */
function placeOf(folder: string, path: string): string {
  return relative(folder, dirname(resolve(folder, path)))
    .split(sep)
    .join(posix.sep);
}

async function readFileHere(folder: string, path: string): Promise<Result<string>> {
  const place = placeOf(folder, path);
  if (place === ".." || place.startsWith("../"))
    return stop(
      "usage",
      `${path} is not in this folder. Run the command in the root directory of the project.`,
    );
  const file = resolve(folder, path);
  const limit = { bytes: MAX_COMPOSE_BYTES, text: "64 KiB", hint };
  const read = await readDataFile(dirname(file), basename(file), path, limit);
  if (!read.ok) return stop("unreadable_file", `${read.problem.message}. ${read.problem.hint ?? ""}`.trim());
  return read.value === null ? stop("unreadable_file", `${path} does not exist.`) : succeed(read.value);
}

/** The sources of volumes that have files of the repository: of git's index, or without git all that exist. */
async function committedSources(
  context: CommandContext,
  place: string,
  services: readonly Service[],
): Promise<ReadonlySet<string>> {
  const sources = services.flatMap(({ volumes }) => volumes.map(({ source }) => source).filter(isBound));
  const folder = join(context.folder, place);
  const committed = new Set<string>();
  for (const source of new Set(sources)) {
    const path = resolve(folder, source);
    if (relative(context.folder, path).startsWith("..") || !existsSync(path)) continue;
    const listed = await readGit(context, context.folder, "ls-files", "--", `:(literal)${path}`);
    if (!listed.ok || listed.value !== "") committed.add(source);
  }
  return committed;
}

/** The folder in which the program of an image starts; null if its Dockerfile does not say it, or cannot be read. */
async function readWorkdir(folder: string, { path, target }: ComposeImage): Promise<string | null> {
  const root = await realpath(folder);
  const file = await readTreeFile(root, root, path, { bytes: MAX_DOCKERFILE_BYTES, text: "256 KiB", hint });
  if (file === null || !file.read.ok) return null;
  const facts = readDockerfile(file.read.value, { path, target });
  return facts.ok ? facts.value.workdir : null;
}
