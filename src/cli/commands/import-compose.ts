import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";

import { readDataFile } from "#build/tree/read-data-file.ts";
import { readTreeFile } from "#build/tree/read-tree-file.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { composeDocument, printImport } from "#cli/views/compose-import.ts";
import { succeed } from "#contract/lib/result.ts";
import { shellWord } from "#node/shell-quote.ts";
import { composeFiles, MAX_COMPOSE_BYTES } from "#project-files/compose/compose-files.ts";
import { importCompose } from "#project-files/compose/import-compose.ts";
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
    "Run it in the root directory of the project. One project has one image: services that are built from another Dockerfile are named. Values that look like secrets, and addresses of services that Gantry does not run, are not printed: set them by hand.",
  ],
  words: {
    file: { isRequired: false, help: `Path of the file (default: ${composeFiles.join(", ")})` },
  },
  options: {},
  examples: ["import compose", "import compose docker/compose.prod.yml --json"],
  async run({ folder, output }, { words }) {
    const found = await findCompose(folder, words.file);
    if (!found.ok) return found;
    const { path, place, text } = found.value;
    // Loaded only now, because other commands need no parser of YAML.
    const { readCompose } = await import("#project-files/compose/read-compose.ts");
    const compose = readCompose(text, path);
    if (!compose.ok)
      return stop(
        "unreadable_file",
        [`${compose.problem.message}.`, compose.problem.hint ?? ""].join(" ").trim(),
      );
    const { image } = rolesOf(compose.value.services, place);
    const workdir = image === null ? null : await readWorkdir(folder, image);
    const imported = importCompose(compose.value, {
      folder: place,
      workdir,
      lineOf: (line) => line.map(shellWord).join(" "),
    });
    output.json(composeDocument(path, imported));
    printImport(output, path, imported);
    if (imported.gantryJson !== null && existsSync(join(folder, GANTRY_JSON)))
      output.note(`${GANTRY_JSON} exists already: add these keys to it.`);
    return imported.gantryJson === null ? { ok: true, exit: "failed" } : done;
  },
});

/** `place`: the folder of the file, relative to the root directory. */
type Found = { readonly path: string; readonly place: string; readonly text: string };

async function findCompose(folder: string, given: string | null): Promise<Result<Found>> {
  const path = given ?? composeFiles.find((name) => existsSync(join(folder, name)));
  if (path === undefined)
    return stop("unreadable_file", `There is no ${composeFiles.join(", ")} here. Name the file.`);
  const file = resolve(folder, path);
  const place = relative(folder, dirname(file)).split(sep).join(posix.sep);
  if (place === ".." || place.startsWith("../"))
    return stop(
      "usage",
      `${path} is not in this folder. Run the command in the root directory of the project.`,
    );
  const limit = { bytes: MAX_COMPOSE_BYTES, text: "64 KiB", hint };
  const read = await readDataFile(dirname(file), basename(file), path, limit);
  if (!read.ok) return stop("unreadable_file", `${read.problem.message}. ${read.problem.hint ?? ""}`.trim());
  return read.value === null
    ? stop("unreadable_file", `${path} does not exist.`)
    : succeed({ path, place, text: read.value });
}

/** The folder in which the program of an image starts; null if its Dockerfile does not say it, or cannot be read. */
async function readWorkdir(folder: string, { path, target }: ComposeImage): Promise<string | null> {
  const root = await realpath(folder);
  const file = await readTreeFile(root, root, path, { bytes: MAX_DOCKERFILE_BYTES, text: "256 KiB", hint });
  if (file === null || !file.read.ok) return null;
  const facts = readDockerfile(file.read.value, { path, target });
  return facts.ok ? facts.value.workdir : null;
}
