import type * as z from "zod/mini";

import { type Fields, fieldOf, isFields, type Json, jsonOf } from "#cli/configuration/json.ts";
import { documentName, optionFor, partOf, type Referred } from "#cli/configuration/schema-parts.ts";
import { didYouMean } from "#contract/lib/suggest.ts";

/** A mistake in a file. `message`: the rest of a sentence, or a sentence of its own after the place. */
export type Issue = { readonly path: readonly string[]; readonly message: string };

/** The name of a server or project; its ID if it has none that is known. */
export type NameOf = (to: Referred, id: string) => string;

/** The ID of a server or project by its name; null if there is none. */
export type IdOf = (to: Referred, name: string) => string | null;

/** Writes a value of the API as a file has it: with names instead of IDs, and tables instead of lists of named items. */
export function toDocument(schema: z.ZodMiniType, value: unknown, nameOf: NameOf): Json {
  if (value === null || value === undefined) return null;
  const part = partOf(schema);
  switch (part.type) {
    case "leaf":
      return jsonOf(value);
    case "reference":
      return typeof value === "string" ? nameOf(part.to, value) : jsonOf(value);
    case "record":
      return fromEntries(entriesOf(value), (field) => toDocument(part.value, field, nameOf));
    case "choice": {
      const member = optionFor(part, new Map(entriesOf(value)).get(part.discriminator));
      return member === null ? jsonOf(value) : toDocument(member, value, nameOf);
    }
    case "object": {
      const given = new Map(entriesOf(value));
      const entries = [...part.shape].flatMap(([name, field]): [string, Json][] => {
        const inner = given.get(name);
        return inner === undefined ? [] : [[documentName(name, field), toDocument(field, inner, nameOf)]];
      });
      return Object.fromEntries(entries);
    }
    case "list": {
      const items = (Array.isArray(value) ? value : []).map((item: unknown) =>
        toDocument(part.item, item, nameOf),
      );
      if (part.key === null) return items;
      const { key } = part;
      const named = items.flatMap((item): [string, Json][] => {
        if (!isFields(item)) return [];
        const { [key]: name = null, ...fields } = item;
        return typeof name === "string" ? [[name, fields]] : [];
      });
      return Object.fromEntries(named);
    }
  }
}

/** Makes a value of the API of what a file has. Wrong values stay as they are, for the schema to refuse. */
export function toRequest(
  schema: z.ZodMiniType,
  value: Json,
  idOf: IdOf,
  issues: Issue[],
  path: readonly string[] = [],
): unknown {
  const part = partOf(schema);
  // TOML has no null.
  if (value === null || (value === "" && part.isNullable)) return null;
  const inner = (of: z.ZodMiniType, field: Json, key: string) =>
    toRequest(of, field, idOf, issues, [...path, key]);
  switch (part.type) {
    case "leaf":
      return value;
    case "reference": {
      if (typeof value !== "string") return value;
      const id = idOf(part.to, value);
      if (id !== null) return id;
      issues.push({ path, message: `names the ${part.to} ${JSON.stringify(value)}, which does not exist` });
      return undefined;
    }
    case "record":
      return isFields(value)
        ? fromEntries(Object.entries(value), (field, key) => inner(part.value, field, key))
        : value;
    case "choice": {
      const decides = isFields(value) ? fieldOf(value, part.discriminator) : undefined;
      const member = optionFor(part, decides);
      return member === null ? value : toRequest(member, value, idOf, issues, path);
    }
    case "object": {
      // `servers = ["web-1"]` is short for a list of tables that only name their server.
      const short = typeof value === "string" ? shortField(part.shape) : null;
      const given = short === null ? value : { [short]: value };
      // The path is as the file has it.
      const field = (of: z.ZodMiniType, one: Json, key: string) =>
        toRequest(of, one, idOf, issues, short === null ? [...path, key] : path);
      return isFields(given) ? fieldsToRequest(part.shape, given, field, { issues, path }) : value;
    }
    case "list": {
      const { key, item } = part;
      if (key === null || !isFields(value))
        return Array.isArray(value) ? value.map((one: Json, at) => inner(item, one, String(at))) : value;
      return Object.entries(value).map(([name, fields]) =>
        isFields(fields) ? inner(item, { ...fields, [key]: name }, name) : fields,
      );
    }
  }
}

function fieldsToRequest(
  shape: ReadonlyMap<string, z.ZodMiniType>,
  given: Fields,
  inner: (schema: z.ZodMiniType, value: Json, key: string) => unknown,
  { issues, path }: { readonly issues: Issue[]; readonly path: readonly string[] },
): object {
  const known = new Map(
    [...shape].map(([name, field]) => [documentName(name, field), [name, field] as const]),
  );
  const entries = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    const field = known.get(key);
    if (field !== undefined) return [[field[0], inner(field[1], value, key)]];
    issues.push({ path: [...path, key], message: `is unknown.${didYouMean(key, [...known.keys()])}` });
    return [];
  });
  return Object.fromEntries(entries);
}

/** The field of an item that a text alone gives: the server or project that it is about; null: none. */
function shortField(shape: ReadonlyMap<string, z.ZodMiniType>): string | null {
  const id = shape.get("id");
  return id === undefined ? null : documentName("id", id);
}

/** The place in a file of a mistake that the schema has found in a request. */
export function documentPath(
  schema: z.ZodMiniType,
  value: unknown,
  [first, ...rest]: readonly PropertyKey[],
): string[] {
  if (first === undefined) return [];
  const key = String(first);
  const part = partOf(schema);
  const field = new Map(entriesOf(value)).get(key);
  switch (part.type) {
    case "object": {
      const inner = part.shape.get(key);
      return inner === undefined ? [key] : [documentName(key, inner), ...documentPath(inner, field, rest)];
    }
    case "record":
      return [key, ...documentPath(part.value, field, rest)];
    case "list": {
      const name = part.key === null ? undefined : new Map(entriesOf(field)).get(part.key);
      return [typeof name === "string" ? name : key, ...documentPath(part.item, field, rest)];
    }
    case "choice": {
      const member = optionFor(part, new Map(entriesOf(value)).get(part.discriminator));
      return member === null ? [key] : documentPath(member, value, [first, ...rest]);
    }
    case "leaf":
    case "reference":
      return [key];
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function fromEntries<Value, Mapped>(
  entries: readonly (readonly [string, Value])[],
  map: (value: Value, key: string) => Mapped,
): { [name: string]: Mapped } {
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)]));
}
