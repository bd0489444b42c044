import { isList, type Fields, isFields, type Json } from "#cli/configuration/json.ts";

const BARE_KEY = /^[A-Za-z0-9_-]+$/;
const WIDTH = 100;

/** Lines of comments, by the path of the table or value that they stand before. */
export type Comments = ReadonlyMap<string, readonly string[]>;

/** The places of comments that stand before and after everything else. */
export const BEGIN = "begin";
export const END = "end";

/**
 * Prints a document as TOML. A table has its own header. Tables in lists, and tables that say where a value comes from,
 * are printed in their lines. Null is an empty text, because TOML has no null.
 */
export function printToml(document: Fields, comments: Comments = new Map()): string {
  const begin = comments.get(`${BEGIN}.`) ?? [];
  const lines = [
    ...begin,
    ...(begin.length === 0 ? [] : [""]),
    ...tableLines(document, [], comments),
    ...(comments.get(`${END}.`) ?? []),
  ];
  return `${lines.join("\n").trim()}\n`;
}

/** The name of a table or a value, as TOML writes it. */
function keyText(key: string): string {
  return BARE_KEY.test(key) ? key : quoted(key);
}

/** Control characters, and characters that hide or reorder the text after them. */
const INVISIBLE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A text in quotes. What a terminal or a reviewer does not see is escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    INVISIBLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A path of names with dots between them: `projects."my.shop".branch`. */
export function pathText(path: readonly string[]): string {
  return path.map(keyText).join(".");
}

function tableLines(table: Fields, path: readonly string[], comments: Comments): string[] {
  const entries = Object.entries(table);
  const values = entries.filter(([, value]) => !hasHeader(value));
  const tables = entries.flatMap(([key, value]) => (hasHeader(value) ? [[key, value] as const] : []));
  const before = comments.get(pathText(path)) ?? [];
  // A table that only has tables needs no header of its own.
  const isNamed = path.length > 0 && (values.length > 0 || tables.length === 0 || before.length > 0);
  return [
    ...(isNamed ? ["", ...before, `[${pathText(path)}]`] : []),
    ...values.flatMap(([key, value]) => [
      ...(comments.get(pathText([...path, key])) ?? []),
      `${keyText(key)} = ${valueText(value, keyText(key).length + 3)}`,
    ]),
    ...tables.flatMap(([key, value]) => tableLines(value, [...path, key], comments)),
  ];
}

function hasHeader(value: Json): value is Fields {
  return isFields(value) && typeof value["from"] !== "string";
}

/** @param used the columns of the line that are taken */
function valueText(value: Json, used: number): string {
  if (value === null) return '""';
  if (typeof value === "string") return quoted(value);
  if (isList(value)) {
    const items = value.map((item) => valueText(item, 2));
    const line = `[${items.join(", ")}]`;
    return used + line.length <= WIDTH ? line : `[\n${items.map((item) => `  ${item},\n`).join("")}]`;
  }
  if (!isFields(value)) return String(value);
  const fields = Object.entries(value).map(([key, field]) => `${keyText(key)} = ${valueText(field, 0)}`);
  // A table in a line has no line breaks, so neither have the lists in it.
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
