/** A line as it is stored: its number, and the whole LogLine as JSON. Most readers pass it on without parsing it. */
export type StoredLine = { readonly line: number; readonly json: string };

/** The lines from `fromLine` on of chunks of NDJSON, which may be cut anywhere, some at a time as they come. */
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

/** The lines of whole NDJSON. */
export function linesOf(ndjson: string): StoredLine[] {
  return ndjson.split("\n").slice(0, -1).map(storedLine);
}

// The number comes first, because the lane writes the lines (LogBuffer).
function storedLine(json: string): StoredLine {
  const number = /^\{"line":(\d+),/.exec(json)?.[1];
  if (number === undefined) throw new Error("a stored log holds something that is no line");
  return { line: Number(number), json };
}
