import { refuse, type Result, succeed } from "#contract/problems.ts";

/** A log's cursor contains the last line that was read. */
const CURSOR = /^line:(\d{1,9})$/;

/** The cursor for the lines after this one. 0: all lines. */
export function logCursor(lastLine: number): string {
  return btoa(`line:${lastLine}`);
}

/** The last line that was read, according to the cursor; 0 without a cursor. */
export function lineOfCursor(cursor: string | undefined): Result<number, "invalid_request"> {
  if (cursor === undefined) return succeed(0);
  const line = CURSOR.exec(atobOrEmpty(cursor))?.[1];
  if (line !== undefined) return succeed(Number(line));
  return refuse("invalid_request", "The cursor does not belong to a log.", [
    { pointer: "?cursor", message: "is not a cursor of a log" },
  ]);
}

function atobOrEmpty(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
