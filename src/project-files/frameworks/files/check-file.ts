import { parse, TomlError } from "smol-toml";

import { syntaxOf } from "#project-files/frameworks/files/data-files.ts";
import { readPnpmWorkspace } from "#project-files/frameworks/files/read-pnpm-workspace.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { type JsonRules, type LocatedJson, parseLocatedJson } from "#contract/lib/located-json.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type FileProblem, shown, type Unusable, unusable } from "#project-files/processes/file-problem.ts";

/** A file that can be read. `notes`: what of it is ignored, in sentences without a full stop. */
export type CheckedFile = ResultOf<{ readonly notes: readonly string[] }, { readonly problem: FileProblem }>;

const nothing: CheckedFile = succeed({ notes: [] });

/** `isBun`: Bun reads the file, which allows comments in package.json. */
export type FileRules = { readonly isBun: boolean };

/**
 * Checks that a file which decides how a project is built can be read.
 * @param path where it is in the repository, for messages
 * @param name the last part of the path
 */
export function checkFile(path: string, name: string, text: string, { isBun }: FileRules): CheckedFile {
  const conflict = conflictLine(text);
  if (conflict !== null)
    return unusable(
      `line ${conflict} of ${path} begins a merge conflict that is not resolved`,
      "Choose one of the two versions there, delete the lines with <<<<<<<, ======= and >>>>>>>, and commit the file.",
    );
  switch (syntaxOf(name)) {
    case "json":
      return checkJson(path, name, text, { comments: isBun && name === "package.json", repeatedKeys: true });
    case "json-or-comments":
      return checkJson(path, name, text, { comments: true, repeatedKeys: true });
    case "toml":
      return checkToml(path, text);
    case "pnpm-workspace": {
      const read = readPnpmWorkspace(text);
      if (read.ok) return nothing;
      const { line, message } = read.problem;
      return unusable(`${path} cannot be read: ${message}, in line ${line}`, correct(line, path));
    }
    case "text":
      return nothing;
  }
}

/** The line that begins a merge conflict; null if there is none. */
function conflictLine(text: string): number | null {
  const found = /^<{7}(?: |\r?$)/m.exec(text);
  if (found === null || !/^>{7}(?: |\r?$)/m.test(text)) return null;
  return lineAt(text, found.index);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function correct(line: number, path: string): string {
  return `Correct line ${line} of ${path}.`;
}

function checkJson(path: string, name: string, text: string, rules: JsonRules): CheckedFile {
  if (text.trim() === "")
    return unusable(`${path} is empty`, "Delete the file, or write `{}` into it if a tool needs it.");
  const json = parseLocatedJson(text, rules);
  if (!json.ok) {
    const { message, place } = json.problem;
    return unusable(
      `${path} is not JSON: ${message}, in line ${place.line}, column ${place.column}`,
      correct(place.line, path),
    );
  }
  const { value, repeated, placeOf } = json.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const { line } = placeOf([]);
    return unusable(
      `${path} has ${kindOf(value)} in line ${line}, and not an object in braces`,
      'Write an object, such as `{ "name": "app" }`, or delete the file.',
    );
  }
  const wrong = wrongField(path, name, json.value);
  if (wrong !== null) return wrong;
  const twice = repeated.map(
    ({ key, place }) =>
      `${path} has the key ${shown(key)} again in line ${place.line}: only the last one counts`,
  );
  return succeed({ notes: [...twice, ...(name === "package.json" ? wrongScripts(path, json.value) : [])] });
}

/** The fields of a file that are read, which are objects. PHP writes an empty list for an empty object. */
const objects: Readonly<Record<string, readonly string[]>> = {
  "package.json": ["scripts", "dependencies", "devDependencies"],
  "composer.json": ["require", "require-dev"],
  "angular.json": ["projects"],
};

function wrongField(path: string, name: string, { value, placeOf }: LocatedJson): Unusable | null {
  const fields = objectOf(value);
  const named = Object.hasOwn(objects, name) ? (objects[name] ?? []) : [];
  for (const key of named) {
    const field = fields[key];
    const isEmpty = field === undefined || field === null || (Array.isArray(field) && field.length === 0);
    if (isEmpty || (typeof field === "object" && !Array.isArray(field))) continue;
    const { line } = placeOf([key]);
    return unusable(
      `line ${line} of ${path} has ${kindOf(field)} as \`${key}\`, and not an object in braces`,
      correct(line, path),
    );
  }
  const { workspaces } = fields;
  if (name !== "package.json" || workspaces === undefined || typeof workspaces === "object") return null;
  const { line } = placeOf(["workspaces"]);
  return unusable(
    `line ${line} of ${path} has ${kindOf(workspaces)} as \`workspaces\`, and not a list`,
    'Write a list, such as `["packages/*"]`.',
  );
}

/** npm ignores such scripts too. A key such as `//` is how people write comments. */
function wrongScripts(path: string, { value, placeOf }: LocatedJson): readonly string[] {
  return Object.entries(objectOf(objectOf(value)["scripts"])).flatMap(([name, script]) =>
    typeof script === "string" || name.startsWith("/")
      ? []
      : [
          `line ${placeOf(["scripts", name]).line} of ${path} has ${kindOf(script)} as the script ${shown(name)}, and not a text: it is ignored`,
        ],
  );
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : typeof value === "number" ? "a number" : "an object";
}

const MAX_TOML_DEPTH = 20;

function checkToml(path: string, text: string): CheckedFile {
  try {
    parse(text, { maxDepth: MAX_TOML_DEPTH });
    return nothing;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    const why = first.replace(/^Invalid TOML document: /, "");
    const { line, column } = error;
    return unusable(`${path} is not TOML: ${why}, in line ${line}, column ${column}`, correct(line, path));
  }
}
