import { SECRET, type Sources } from "#cli/configuration/item.ts";
import { isList, type Fields, fieldOf, isFields, type Json } from "#cli/configuration/json.ts";
import type { Issue } from "#cli/configuration/convert.ts";
import { pathText } from "#cli/configuration/print-toml.ts";

const ENVIRONMENT = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;

/** `{ from = "env:NAME" }`: the value of a field is in the environment. */
export function sourceText(name: string): Fields {
  return { from: `env:${name}` };
}

/** The command's own secrets, and what a job gets its identity by. A file from anywhere could send them to its author. */
const ownSecrets = [
  "GANTRY_TOKEN",
  "GANTRY_ID_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "BUILDKITE_AGENT_ACCESS_TOKEN",
];

/** On Windows, upper and lower case are the same. */
const isOwnSecret = (name: string): boolean => ownSecrets.includes(name.toUpperCase());

/** The variable of the environment that a text of a file names; null: it names none that a file may use. */
export function readSource(text: Json | undefined): string | null {
  const name = typeof text === "string" ? ENVIRONMENT.exec(text)?.[1] : undefined;
  return name === undefined || isOwnSecret(name) ? null : name;
}

/** The message for a text that names no variable. */
export const SOURCE_FORM =
  'must be the name of an environment variable, such as "env:SHOP_TOKEN", and not the token of the command';

/** A name of a variable of the environment for a value that an export leaves out: `SHOP_DATABASE_URL`. */
export function suggestedSource(...words: readonly string[]): string {
  const name = words
    .map((word) =>
      word
        .normalize("NFKD")
        .replace(/[^A-Za-z0-9]+/g, "_")
        .replace(/^_+|_+$/g, ""),
    )
    .filter((word) => word !== "")
    .join("_")
    .toUpperCase();
  return /^[0-9]/.test(name) || name === "" || isOwnSecret(name) ? `_${name}` : name;
}

type Resolving = {
  readonly environment: NodeJS.ProcessEnv;
  readonly issues: Issue[];
  readonly isLenient: boolean;
  /** What stands for the secret at a path of the file, which its schema accepts; null: there is no secret. */
  readonly secretAt: (path: readonly string[]) => string | null;
};

export type Resolved = { readonly value: Json; readonly sources: Sources };

/**
 * Reads the values that a file takes from the environment. A secret is only read when it is sent, and must not stand in the
 * file itself.
 */
export function resolveSources(
  value: Json,
  { environment, issues, secretAt, isLenient }: Resolving,
): Resolved {
  const sources = new Map<string, string>();
  const resolve = (inner: Json, path: readonly string[]): Json => {
    const secret = secretAt(path);
    if (isFields(inner) && Object.keys(inner).length === 1 && typeof inner["from"] === "string") {
      const name = readSource(fieldOf(inner, "from"));
      if (name === null) {
        issues.push({ path: [...path, "from"], message: SOURCE_FORM });
        return secret ?? "";
      }
      sources.set(pathText(path), name);
      if (secret !== null) return secret;
      const given = environment[name];
      if (given === undefined && !isLenient)
        issues.push({ path, message: `needs the environment variable ${name}` });
      return given ?? "";
    }
    if (secret !== null && inner !== SECRET) {
      issues.push({
        path,
        message: 'is a secret: write { from = "env:NAME" }, and set NAME in the environment',
      });
      return secret;
    }
    if (isList(inner)) return inner.map((one, at) => resolve(one, [...path, String(at)]));
    if (!isFields(inner)) return inner === SECRET ? (secret ?? inner) : inner;
    const entries = Object.entries(inner).map(([key, one]): [string, Json] => [
      key,
      resolve(one, [...path, key]),
    ]);
    return Object.fromEntries(entries);
  };
  return { value: resolve(value, []), sources };
}

/** Replaces the values that a document takes from the environment in a message, which can be in a public log. */
export function withoutValues(message: string, document: Json, environment: NodeJS.ProcessEnv): string {
  let text = message;
  for (const name of sourcesIn(document)) {
    const value = environment[name] ?? "";
    // What is shorter is no secret, and could be a part of any word.
    if (value.length < SHORTEST_SECRET) continue;
    for (const written of [JSON.stringify(value), value]) text = text.replaceAll(written, `of ${name}`);
  }
  return text;
}

const SHORTEST_SECRET = 4;

function sourcesIn(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(sourcesIn);
  if (!isFields(value)) return [];
  const source = readSource(fieldOf(value, "from"));
  return [...(source === null ? [] : [source]), ...Object.values(value).flatMap(sourcesIn)];
}
