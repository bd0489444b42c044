/** A variable of a .env file. `line`: where it starts, from 1. */
export type EnvEntry = { readonly line: number; readonly name: string; readonly value: string };

/** An error in a line. The message never quotes the line, which can be a part of a secret. */
export type EnvError = { readonly line: number; readonly message: string };

/**
 * Parses a .env file: `NAME=value` lines with `export`, comments, quotes, and quoted values of several lines. Double
 * quotes have the escapes \n \r \t \" \\ \$ and \`. Like Docker Compose and sh, and unlike Node, it starts a comment in an
 * unquoted value only at a # after a space: the rest of a password must not get lost. `$NAME` is not replaced.
 */
export function readEnv(text: string): { readonly entries: EnvEntry[]; readonly errors: EnvError[] } {
  const lines = text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .split("\n");
  const entries: EnvEntry[] = [];
  const errors: EnvError[] = [];
  for (let at = 0; at < lines.length;) {
    const read = readEntry(lines, at);
    if (read.entry !== null) entries.push({ line: at + 1, ...read.entry });
    if (read.error !== null) errors.push({ line: at + 1, message: read.error });
    at = read.next;
  }
  return { entries, errors };
}

type Read = {
  readonly entry: Omit<EnvEntry, "line"> | null;
  readonly error: string | null;
  /** The index of the first line after the entry. */
  readonly next: number;
};

function readEntry(lines: readonly string[], at: number): Read {
  const line = (lines[at] ?? "").trimStart();
  const next = at + 1;
  const wrong = (error: string, after = next): Read => ({ entry: null, error, next: after });
  if (line === "" || line.startsWith("#")) return { entry: null, error: null, next };
  const equals = line.indexOf("=");
  if (equals === -1) return wrong("has no =. If it continues a value, put the whole value in double quotes.");
  const name = line
    .slice(0, equals)
    .trim()
    .replace(/^export\s+/, "");
  const rest = line.slice(equals + 1);
  const start = rest.trimStart();
  const quote = start[0];
  if (quote === "`") return wrong("has a value in backticks. Use single or double quotes.");
  if (quote !== '"' && quote !== "'")
    return { entry: { name, value: rest.replace(/\s#.*$/, "").trim() }, error: null, next };

  const quoted = readQuoted(start.slice(1), quote, lines, next);
  if (quoted === null) return wrong("has a quote that is not closed.", lines.length);
  if (!/^\s*$|^\s+#/.test(quoted.after)) return wrong("has text after the closing quote.", quoted.next);
  const value = quote === '"' ? unescape(quoted.body) : quoted.body;
  return { entry: { name, value }, error: null, next: quoted.next };
}

/** Reads to the closing quote, which can be in a later line. Null if there is none. @param next the line after `first` */
function readQuoted(first: string, quote: string, lines: readonly string[], next: number) {
  // A list and not one growing text, because searching that again in each line would take quadratic time.
  const before: string[] = [];
  let line = first;
  for (let at = next; ; at += 1) {
    const end = closingQuote(line, quote);
    if (end !== -1)
      return { body: [...before, line.slice(0, end)].join("\n"), after: line.slice(end + 1), next: at };
    if (at >= lines.length) return null;
    before.push(line);
    line = lines[at] ?? "";
  }
}

function closingQuote(line: string, quote: string): number {
  for (let at = 0; at < line.length; at += 1) {
    if (quote === '"' && line[at] === "\\") at += 1;
    else if (line[at] === quote) return at;
  }
  return -1;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function unescape(text: string): string {
  return text.replace(/\\([nrt"\\$`])/g, (_, character: string) => escapes.get(character) ?? character);
}
