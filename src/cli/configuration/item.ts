import { isList, type Fields, type Json } from "#cli/configuration/json.ts";
import { pathText } from "#cli/configuration/print-toml.ts";

/** The kinds of things in a file, in the order in which they are created and changed. */
export const kindNames = [
  "account",
  "projects",
  "variables",
  "hooks",
  "webhooks",
  "freezes",
  "trust_rules",
  "members",
] as const;
export type KindName = (typeof kindNames)[number];

/** What an item has in place of a secret value. No item has the value itself. */
export const SECRET = "(secret)";

/** Which variable of the environment has the value of a field, by the path of the field as TOML writes it. */
export type Sources = ReadonlyMap<string, string>;

/** A thing of the file or of the installation, with names instead of IDs. */
export type Item = {
  readonly kind: KindName;
  /** The name of its table in the file. */
  readonly key: string;
  readonly name: string;
  /** An item of the file and an item of the installation with the same text are the same thing. */
  readonly identity: string;
  /** Its fields with their defaults. A field that is missing is not managed, or automatic. */
  readonly fields: Fields;
  readonly sources: Sources;
  /** Null: it is of the file. */
  readonly id: string | null;
  /** What else changes with it, such as its revision. */
  readonly mark: string;
  /** The fields whose values the installation hides, so that they stay as they are. */
  readonly masked: readonly string[];
  /** The fields that its table in the file has. */
  readonly given: readonly string[];
  /** Of the variables of a project: for which keys its secrets are sealed. */
  readonly seals?: Seals;
  /** The secrets that servers of the project in the file cannot open, with the names of these servers. */
  readonly unsealed?: ReadonlyMap<string, readonly string[]>;
};

/** Keys by their fingerprints. */
export type Seals = {
  /** The keys that open a secret, by its name. */
  readonly sealedFor: ReadonlyMap<string, readonly string[]>;
  /** The key of each server of the project, by the ID of the server; null: it has none yet. */
  readonly keys: ReadonlyMap<string, string | null>;
};

export type State = ReadonlyMap<KindName, readonly Item[]>;

/** Where an item is in a file. */
export function pathOf({ kind, key }: Pick<Item, "kind" | "key">): readonly string[] {
  if (kind === "account") return [kind];
  return kind === "variables" ? ["projects", key, kind] : [kind, key];
}

/** The source of a field's value, or of a value inside of the field; null: the file has it itself. */
export function sourceAt(sources: Sources, path: readonly string[]): string | null {
  return sources.get(pathText(path)) ?? null;
}

/** The variables of the environment that the value at a path is, or that a part of it is. */
export function sourcesIn(sources: Sources, path: readonly string[]): readonly string[] {
  const place = pathText(path);
  return [...sources].flatMap(([at, name]) => (at === place || at.startsWith(`${place}.`) ? [name] : []));
}

/** Replaces each secret in a value with what a function returns for its path. */
export function mapSecrets(
  value: Fields,
  path: readonly string[],
  map: (path: readonly string[]) => Json,
): Fields;
export function mapSecrets(
  value: Json,
  path: readonly string[],
  map: (path: readonly string[]) => Json,
): Json;
export function mapSecrets(
  value: Json,
  path: readonly string[],
  map: (path: readonly string[]) => Json,
): Json {
  if (value === SECRET) return map(path);
  if (isList(value)) return value.map((one, at) => mapSecrets(one, [...path, String(at)], map));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries<Json>(value).map(([key, inner]): [string, Json] => [
    key,
    mapSecrets(inner, [...path, key], map),
  ]);
  return Object.fromEntries(entries);
}
