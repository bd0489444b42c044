import { LogLine } from "#contract/logs.ts";
import type { LogOwner, LogStore } from "#worker/logs/log-store.ts";

/** The lines that have not been put together into one object yet: parts in R2 by their first lines, then the rest. */
export type UnfinishedLines = {
  readonly parts: readonly number[];
  readonly buffered: readonly { readonly firstLine: number; readonly ndjson: string }[];
};

/**
 * A deployment's log from a line on, as chunks of NDJSON without a gap or a line twice, wherever its lines stand now.
 * The first chunk may begin before `fromLine`.
 *
 * @param unfinished asks the lane; called only while there is no finished log
 */
export async function* readLog(
  store: LogStore,
  owner: LogOwner,
  fromLine: number,
  unfinished: () => Promise<UnfinishedLines>,
): AsyncGenerator<string> {
  const whole = await store.openWhole(owner, fromLine);
  if (whole !== null) {
    yield* whole;
    return;
  }
  const { parts, buffered } = await unfinished();
  if (parts.length === 0 && buffered.length === 0) {
    // Between the two looks the log was finished, or there has never been a line.
    const finished = await store.openWhole(owner, fromLine);
    if (finished !== null) yield* finished;
    return;
  }
  for (const [index, firstLine] of parts.entries()) {
    const nextPart = parts[index + 1] ?? buffered[0]?.firstLine ?? Infinity;
    if (nextPart <= fromLine) continue;
    const part = await store.getPart(owner, firstLine);
    if (part === null) {
      // The parts went when the log was finished: go on in the finished one where this one ended.
      const finished = await store.openWhole(owner, firstLine);
      if (finished !== null) yield* from(firstLine, finished);
      return;
    }
    yield part;
  }
  for (const chunk of buffered) yield chunk.ndjson;
}

async function* from(fromLine: number, chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const line of parseLines(chunks)) if (line.line >= fromLine) yield `${JSON.stringify(line)}\n`;
}

/** The lines of chunks of NDJSON, which may be cut anywhere. */
export async function* parseLines(chunks: AsyncIterable<string>): AsyncGenerator<LogLine> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield LogLine.parse(JSON.parse(line));
  }
}
