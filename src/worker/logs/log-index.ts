import * as z from "zod/mini";

/** A section of a log: its first line, and its length in bytes. */
export type Stretch = { readonly firstLine: number; readonly bytes: number };

/** R2 allows 8 KiB of metadata per object. 60 entries take at most 1.2 KiB. */
const MAX_ENTRIES = 60;

const LogIndex = z.array(z.tuple([z.int(), z.int()]));

/** The byte offsets of some lines of a complete log, so that a read in the middle starts near its first line. */
export function indexOf(stretches: readonly Stretch[]): string {
  const stride = Math.max(1, Math.ceil(stretches.length / MAX_ENTRIES));
  const entries: z.infer<typeof LogIndex> = [];
  let offset = 0;
  for (const [at, { firstLine, bytes }] of stretches.entries()) {
    if (at % stride === 0) entries.push([firstLine, offset]);
    offset += bytes;
  }
  return JSON.stringify(entries);
}

/** The byte offset of the last indexed line that is not after `line`. */
export function offsetBefore(index: string | undefined, line: number): number {
  const entries = index === undefined ? [] : LogIndex.parse(JSON.parse(index));
  return entries.findLast(([firstLine]) => firstLine <= line)?.[1] ?? 0;
}
