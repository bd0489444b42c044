import { parse } from "smol-toml";

import { type Fields, isFields, jsonOf } from "#cli/configuration/json.ts";
import { BEGIN, type Comments, END, pathText } from "#cli/configuration/print-toml.ts";

/**
 * Finds the comments of a valid TOML text, by what they stand before. A comment at the end of a line counts as a comment before
 * the line. The first lines, up to an empty one, belong to the whole file.
 */
export function commentsOf(text: string): Comments {
  const comments = new Map<string, readonly string[]>();
  let pending: string[] = [];
  let table: readonly string[] = [];
  let isBegun = false;
  const keep = (place: string) => {
    if (pending.length > 0) comments.set(place, [...(comments.get(place) ?? []), ...pending]);
    pending = [];
    isBegun = true;
  };
  for (const [line, ...more] of statementsOf(text)) {
    const start = (line ?? "").trim();
    if (start === "" && !isBegun && pending.length > 0) keep(`${BEGIN}.`);
    if (start.startsWith("#")) pending.push(start);
    if (start === "" || start.startsWith("#")) continue;
    if (more.length === 0) pending.push(...trailingComment(start));
    if (start.startsWith("[")) {
      table = headerPath(start);
      keep(pathText(table));
    } else keep(pathText([...table, ...pathIn(`${keyOf(start)} = 0`)]));
  }
  keep(`${END}.`);
  return comments;
}

/** The names in the header of a table. */
export function headerPath(line: string): string[] {
  return pathIn(line.replace(/^\[\[/, "[").replace(/\]\]/, "]"));
}

/** The lines of each value and header: a list or a long text can have several. */
export function statementsOf(text: string): string[][] {
  const statements: string[][] = [];
  let open: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    open.push(line);
    // A value that is not complete does not parse.
    if (!isComplete(open.join("\n"))) continue;
    statements.push(open);
    open = [];
  }
  return open.length === 0 ? statements : [...statements, open];
}

function isComplete(statement: string): boolean {
  try {
    parse(statement);
    return true;
  } catch {
    return false;
  }
}

/** The comment at the end of a line, if there is one. */
function trailingComment(line: string): string[] {
  for (let at = line.indexOf("#"); at !== -1; at = line.indexOf("#", at + 1)) {
    // In a text, what is before the # is not complete.
    if (isComplete(line.slice(0, at))) return [line.slice(at)];
  }
  return [];
}

/** The key of a line: everything before the first equals sign that is not in quotes. */
function keyOf(line: string): string {
  for (let at = line.indexOf("="); at !== -1; at = line.indexOf("=", at + 1)) {
    const key = line.slice(0, at);
    if (isComplete(`${key} = 0`)) return key;
  }
  return line;
}

/** The names in a header or a key. */
function pathIn(statement: string): string[] {
  const path: string[] = [];
  let inner: Fields | null = parsed(statement);
  while (inner !== null) {
    const [entry] = Object.entries(inner);
    if (entry === undefined) return path;
    path.push(entry[0]);
    inner = isFields(entry[1]) ? entry[1] : null;
  }
  return path;
}

function parsed(statement: string): Fields | null {
  try {
    const json = jsonOf(parse(statement));
    return isFields(json) ? json : null;
  } catch {
    return null;
  }
}
