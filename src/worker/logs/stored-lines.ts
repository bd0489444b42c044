/** A stored line: its number, and the LogLine as JSON. Most readers pass the JSON on without parsing it. */
export type StoredLine = { readonly line: number; readonly json: string };

/** The lines from `fromLine` on in chunks of NDJSON. Chunks may split lines. */
export async function* storedLines(
  chunks: AsyncIterable<string> | Iterable<string>,
  fromLine: number,
): AsyncGenerator<readonly StoredLine[]> {
  let rest = "";
  for await (const chunk of chunks) {
    const texts = (rest + chunk).split("\n");
    rest = texts.pop() ?? "";
    const lines = texts.map(storedLine).filter(({ line }) => line >= fromLine);
    if (lines.length > 0) yield lines;
  }
}

/** The lines of complete NDJSON. */
export function linesOf(ndjson: string): StoredLine[] {
  return ndjson.split("\n").slice(0, -1).map(storedLine);
}

// LogBuffer writes each line with its number first.
function storedLine(json: string): StoredLine {
  const number = /^\{"line":(\d+),/.exec(json)?.[1];
  if (number === undefined) throw new Error("a stored log contains text that is not a line");
  return { line: Number(number), json };
}
