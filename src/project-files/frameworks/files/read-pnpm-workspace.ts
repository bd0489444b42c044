import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** `message`: what is wrong, such as `a tab is not allowed before an item`. */
type LineProblem = { readonly line: number; readonly message: string };

type Read = ResultOf<readonly string[], { readonly problem: LineProblem }>;

/**
 * Reads the list `packages` of pnpm-workspace.yaml as people write it: one item a line, or in brackets. Whatever else is
 * in the file does not matter here.
 * @returns the first line that cannot be read
 */
export function readPnpmWorkspace(text: string): Read {
  const lines = text.split(/\r\n|\n|\r/);
  const tab = lines.findIndex((line) => /^ *\t\s*[^\s#]/.test(line));
  if (tab !== -1) return wrong(tab, "YAML allows no tab at the beginning of a line");
  const at = lines.findIndex((line) => /^["']?packages["']?[ \t]*:/.test(line));
  if (at === -1) return succeed([]);
  const after = withoutComment((lines[at] ?? "").replace(/^[^:]*:/, "")).trim();
  if (after.startsWith("[")) return readBrackets(lines, at, after);
  if (after !== "" && after !== "~" && after !== "null") return wrong(at, "`packages` is not a list");
  const items: string[] = [];
  for (const [index, line] of lines.slice(at + 1).entries()) {
    const used = withoutComment(line).trimEnd();
    if (used === "") continue;
    const item = /^[ ]*-[ \t]+(.*)$/.exec(used)?.[1];
    if (item === undefined) {
      // The next key of the file, or its next document.
      if (/^[^\s-]/.test(used) || /^(?:---|\.\.\.)$/.test(used)) break;
      return wrong(at + 1 + index, "an item of `packages` begins with a hyphen and a space");
    }
    const value = plainText(item.trim());
    if (value === null) return wrong(at + 1 + index, "an item of `packages` is not a plain text");
    items.push(value);
  }
  return succeed(items);
}

function readBrackets(lines: readonly string[], at: number, first: string): Read {
  const further = lines.slice(at + 1).map((line) => withoutComment(line).trim());
  const last = first.includes("]") ? -1 : further.findIndex((line) => line.includes("]"));
  const list = [first, ...further.slice(0, last + 1)].join(" ").trim();
  const inner = /^\[([^\]]*)\]$/.exec(list)?.[1];
  if (inner === undefined) return wrong(at, "the list `packages` does not end with `]`");
  const items = inner.split(",").map((item) => item.trim());
  const values = items.filter((item) => item !== "").map(plainText);
  const plain = values.filter((value) => value !== null);
  return plain.length === values.length
    ? succeed(plain)
    : wrong(at, "an item of `packages` is not a plain text");
}

/** A comment begins after a space, and not in quotes. */
function withoutComment(line: string): string {
  return line.replace(/^((?:[^"'#]|"[^"]*"|'[^']*'|(?<![ \t])#)*?)(?:^|[ \t])#.*$/, "$1");
}

/** @returns null for anything but a text, such as an alias, or a quote without its end */
function plainText(item: string): string | null {
  const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(item);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? "";
  return /^["'&*|>{[\]%@`]/.test(item) && !/^\*+(?:\/|$)/.test(item) ? null : item;
}

function wrong(index: number, message: string): Read {
  return { ok: false, problem: { line: index + 1, message } };
}
