import { objectOf } from "#contract/lib/json-object.ts";

/** The fields of a YAML map, with the fields of its merge keys (`<<: *common`). Own fields win, and then the first map that has it. */
export type ReadMap = (value: unknown) => ReadonlyMap<string, unknown>;

/** @returns a reader for the maps of one file, which reads each only once: aliases share their maps, also with themselves */
export function createReadMap(): ReadMap {
  const known = new WeakMap<object, Map<string, unknown>>();
  const read = (value: unknown): ReadonlyMap<string, unknown> => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
    const before = known.get(value);
    if (before !== undefined) return before;
    const { "<<": merge, ...own } = objectOf(value);
    const fields = new Map(Object.entries(own));
    // Before its merge keys, because a map may merge itself.
    known.set(value, fields);
    for (const source of merge === undefined ? [] : Array.isArray(merge) ? merge : [merge])
      for (const [name, field] of read(source)) if (!fields.has(name)) fields.set(name, field);
    return fields;
  };
  return read;
}

/** A text, a number or a boolean as text; null for anything else. */
export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

/** The texts of a list, or the only text. */
export function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((one) => textOf(one) ?? []);
}

/** A line `NAME=value`. A name alone has its value from the machine, which is null here. */
export function assignment(line: string): readonly [name: string, value: string | null] {
  const at = line.indexOf("=");
  return at === -1 ? [line, null] : [line.slice(0, at), line.slice(at + 1)];
}

/** A longer value with variables is not read: defaults in defaults take quadratic time. */
const MAX_INTERPOLATED = 4096;

/**
 * A value with the defaults of Compose's own variables (`${NAME:-default}`), as if they were not set. `$$` is a dollar sign.
 * @returns null if it has a variable without a default, whose value is not in the file
 */
export function interpolated(text: string): string | null {
  if (text.length > MAX_INTERPOLATED) return text.includes("$") ? null : text;
  let result = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char !== "$") {
      result += char;
      continue;
    }
    const next = text[at + 1];
    if (next === "$") {
      result += "$";
      at += 1;
      continue;
    }
    const end = next === "{" ? closingBrace(text, at + 2) : -1;
    const [, fallback] = /^[A-Za-z_]\w*:?-([^]*)$/.exec(text.slice(at + 2, Math.max(end, 0))) ?? [];
    const value = fallback === undefined ? null : interpolated(fallback);
    if (value === null) return null;
    result += value;
    at = end;
  }
  return result;
}

/** Where a `${` is closed whose text begins at an index: a default may have variables of its own. -1: nowhere. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith("${", at)) depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** `512m`, `1.5gb` or a number of bytes, in MiB. */
export function mebibytes(text: string | null): number | null {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*([bkmg]?)i?b?$/i.exec(text ?? "") ?? [];
  if (amount === undefined) return null;
  // 0 is no limit.
  if (Number(amount) === 0) return null;
  const bytes = Number(amount) * 1024 ** "bkmg".indexOf(unit.toLowerCase() || "b");
  return Math.max(1, Math.round(bytes / 1024 ** 2));
}

/** `90s`, `1m30s` or a number, in seconds. */
export function seconds(text: string | null): number | null {
  if (text === null || !/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|us|h|m|s))+)$/.test(text)) return null;
  const units = new Map([...Object.entries({ h: 3600, m: 60, s: 1, ms: 0.001, us: 0.000_001 }), ["", 1]]);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|us|h|m|s|)/g)];
  return Math.round(
    parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (units.get(unit) ?? 1), 0),
  );
}
