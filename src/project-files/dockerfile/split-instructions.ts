import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { isUnclosed, splitWords, unquote } from "#project-files/dockerfile/words.ts";

/**
 * An instruction of a Dockerfile. `name`: in upper case. `line`: where it begins. `text`: its arguments, with its lines joined,
 * and without the content of heredocs.
 */
export type Instruction = { readonly name: string; readonly line: number; readonly text: string };

/** `escape`: the character that continues a line. */
export type Instructions = { readonly escape: string; readonly all: readonly Instruction[] };

/** A heredoc that begins in `line` and does not end. */
export type Unterminated = { readonly line: number; readonly name: string };

/** The instructions whose arguments may have heredocs. Source: BuildKit, frontend/dockerfile/parser. */
const withHeredocs: ReadonlySet<string> = new Set(["RUN", "COPY", "ADD"]);

/** Splits a Dockerfile into its instructions, as BuildKit and buildah do: comments, continued lines and heredocs are resolved. */
export function splitInstructions(text: string): ResultOf<Instructions, { readonly problem: Unterminated }> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const escape = escapeOf(lines);
  const all: Instruction[] = [];
  let parts: string[] = [];
  let start = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    // Comments and empty lines between continued lines are dropped.
    if (/^\s*(?:#|$)/.test(line)) continue;
    if (parts.length === 0) start = at + 1;
    const continued = withoutContinuation(line, escape);
    parts.push(continued ?? line);
    if (continued !== null) continue;
    const instruction = readInstruction(parts, start);
    parts = [];
    all.push(instruction);
    for (const heredoc of withHeredocs.has(instruction.name) ? heredocsOf(instruction.text) : []) {
      const end = endOf(heredoc, lines, at + 1);
      if (end === null) return { ok: false, problem: { line: instruction.line, name: heredoc.name } };
      at = end;
    }
  }
  // The last line may be continued by nothing.
  if (parts.length > 0) all.push(readInstruction(parts, start));
  return succeed({ escape, all });
}

function readInstruction(parts: readonly string[], line: number): Instruction {
  const [, name = "", text = ""] = /^(\S+)\s*([^]*)$/.exec(parts.join("").trim()) ?? [];
  return { name: name.toUpperCase(), line, text };
}

/** What continues a line: the directive `escape` in the first lines, and otherwise a backslash. */
function escapeOf(lines: readonly string[]): string {
  for (const line of lines) {
    const [, key, value] = /^\s*#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (key === undefined) return "\\";
    if (key.toLowerCase() === "escape") return value === "`" ? "`" : "\\";
  }
  return "\\";
}

/** A line without the character that continues it, and the spaces after that; null if it is not continued. */
function withoutContinuation(line: string, escape: string): string | null {
  const end = line.trimEnd();
  if (!end.endsWith(escape) || end.at(-2) === escape) return null;
  return end.slice(0, -1);
}

/** `strips`: tabs before each line, and before its end, do not count. */
type Heredoc = { readonly name: string; readonly strips: boolean };

/**
 * The heredocs that an instruction begins, such as `<<EOF`, `3<<-"EOF"`. Only a word of its own is one. The parser of BuildKit reads
 * these words with a backslash, whatever continues a line. What its versions read in different ways is no heredoc here, so that
 * no instruction is overlooked.
 */
function heredocsOf(text: string): readonly Heredoc[] {
  if (isUnclosed(text, "\\")) return [];
  return splitWords(text, "\\").flatMap((word) => {
    const [, dash, rest = ""] = /^\d*<<(-?)(\\?[\w.+-]+|"[^"'\\$]+"|'[^"'\\$]+')$/.exec(word) ?? [];
    const name = unquote(rest, "\\");
    return name === "" ? [] : [{ name, strips: dash === "-" }];
  });
}

/** The line that ends a heredoc; null if there is none. */
function endOf({ name, strips }: Heredoc, lines: readonly string[], from: number): number | null {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if ((strips ? line.replace(/^\t+/, "") : line) === name) return at;
  }
  return null;
}
