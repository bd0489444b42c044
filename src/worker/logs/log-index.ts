import * as z from "zod/mini";

/** A stretch of a log: where it begins, and how long it is in bytes. */
export type Stretch = { readonly firstLine: number; readonly bytes: number };

/** An object's metadata may be 8 KiB: so many entries are at most 1.2 KiB. */
const MAX_ENTRIES = 60;

const LogIndex = z.array(z.tuple([z.int(), z.int()]));

/** Where some of a finished log's lines begin, so that a page far in is read from near its start. */
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

/** In bytes, where a line that is at or before `line` begins. */
export function offsetBefore(index: string | undefined, line: number): number {
  const entries = index === undefined ? [] : LogIndex.parse(JSON.parse(index));
  return entries.findLast(([firstLine]) => firstLine <= line)?.[1] ?? 0;
}
