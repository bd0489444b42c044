import type * as z from "zod/mini";

import { toDocument, toRequest } from "#cli/configuration/convert.ts";
import { type Fields, fieldOf, isFields, isList, isSame, type Json } from "#cli/configuration/json.ts";
import type { Names } from "#cli/configuration/names.ts";
import { documentName, optionFor, partOf } from "#cli/configuration/schema-parts.ts";

type Meaning = (table: Fields) => Fields | undefined;

/** A table with its values as short as their schemas allow, and the fields without which it is no table of its kind. */
type ShortFields = { readonly table: Fields; readonly required: readonly string[] };

/** Leaves out each field without which the table means the same. @param guess what is tried first, because it is fast */
export function shortTable(table: Fields, meaning: Meaning, guess: ShortFields): Fields {
  const full = meaning(table);
  if (full === undefined) return table;
  const isEnough = (candidate: Fields) => isSame(meaning(candidate), full);
  const base = pickFields(guess.table, (name) => guess.required.includes(name));
  const defaults = meaning(base);
  if (defaults === undefined) return shortByTrial(table, isEnough);
  const short = pickFields(
    guess.table,
    (name) => Object.hasOwn(base, name) || !isSame(fieldOf(defaults, name), fieldOf(full, name)),
  );
  return isEnough(short) ? short : shortByTrial(table, isEnough);
}

/** Shortens each value by the schema of its field alone. */
export function shortFields(schema: z.ZodMiniType | null, table: Fields, names: Names): ShortFields {
  const fields = fieldsOf(schema, table);
  const entries = Object.entries(table).map(([name, value]): [string, Json] => {
    const field = fields.get(name);
    if (field === undefined) return [name, value];
    const meaning = (candidate: Json): Json | undefined => {
      const parsed = field.safeParse(toRequest(field, candidate, names.idOf, []));
      return parsed.success ? toDocument(field, parsed.data, names.nameOf) : undefined;
    };
    const full = meaning(value);
    if (full === undefined) return [name, value];
    return [name, shortValue(value, (candidate) => isSame(meaning(candidate), full))];
  });
  // The server of a project can be in its list of servers.
  const required = [...fields].flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]));
  return { table: Object.fromEntries(entries), required: [...required, "servers"] };
}

/** The fields of a table, by their names in a file. */
function fieldsOf(schema: z.ZodMiniType | null, table: Fields): ReadonlyMap<string, z.ZodMiniType> {
  if (schema === null) return new Map();
  const part = partOf(schema);
  const option = part.type === "choice" ? optionFor(part, table[part.discriminator]) : null;
  if (option !== null) return fieldsOf(option, table);
  const shape = part.type === "object" ? part.shape : new Map<string, z.ZodMiniType>();
  return new Map([...shape].map(([name, field]) => [documentName(name, field), field]));
}

function shortByTrial(table: Fields, isEnough: (candidate: Fields) => boolean): Fields {
  let short = table;
  for (const [name, value] of Object.entries(table)) {
    const { [name]: _, ...rest } = short;
    if (isEnough(rest)) short = rest;
    else short = { ...short, [name]: shortValue(value, (inner) => isEnough({ ...short, [name]: inner })) };
  }
  return short;
}

function shortValue(value: Json, isEnough: (candidate: Json) => boolean): Json {
  if (isList(value)) {
    const items: Json[] = [...value];
    for (const [at, item] of items.entries())
      items[at] = shortValue(item, (inner) => isEnough(items.map((one, nth) => (nth === at ? inner : one))));
    return items;
  }
  if (!isFields(value) || typeof value["from"] === "string") return value;
  const short = shortByTrial(value, isEnough);
  // A server of a project can be its name alone.
  const [only, ...others] = Object.values(short);
  const isText = others.length === 0 && typeof only === "string";
  return isText && isEnough(only) ? only : short;
}

function pickFields(fields: Fields, isPicked: (name: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isPicked(name)));
}
