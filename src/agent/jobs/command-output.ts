import { appendFileSync, closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

import { CommandOutputLine } from "#contract/endpoints/commands/schemas.ts";
import { attempt } from "#node/attempt.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";

const storedLine = storedAs(CommandOutputLine);

/** Lines are written together after this time. */
const WRITE_MS = 50;
/** Many times the longest line. */
const MAX_READ_BYTES = 512 * 1024;

/** Writes the output of a command to its file, a line of JSON for each line, up to a limit. */
export class CommandOutputWriter {
  readonly #path: string;
  readonly #maxBytes: number;
  #size = 0;
  #isFull = false;
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;
  #watchers: (() => void)[] = [];

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  add(line: CommandOutputLine): void {
    if (this.#isFull) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#size += Buffer.byteLength(text);
    this.#isFull = this.#size > this.#maxBytes;
    this.#waiting += this.#isFull
      ? `${JSON.stringify({ stream: "system", message: this.#tooLarge })}\n`
      : text;
    this.#timer ??= setTimeout(() => this.flush(), WRITE_MS);
  }

  /** Whether no more lines are kept. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get #tooLarge(): string {
    return `The output takes more than ${this.#maxBytes / 1024 / 1024} MiB on the server, with about 35 bytes more for each line. The rest is not kept.`;
  }

  /** Writes what waits. On a full disk the output is lost, and the command continues. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = "";
    if (text !== "") attempt(() => appendFileSync(this.#path, text, { mode: 0o600 }), undefined);
    for (const changed of this.#watchers.splice(0)) changed();
  }

  /** Resolves after the next lines were written. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve));
  }
}

export type OutputPart = {
  readonly lines: CommandOutputLine[];
  readonly nextOffset: number;
  /** Whether the file has no more lines at present. */
  readonly isEnd: boolean;
};

/** Reads whole lines from an offset that an earlier part ended at. A command that printed nothing has no file. */
export function readCommandOutput(path: string, offset: number): OutputPart {
  return attempt(() => readPart(path, offset), { lines: [], nextOffset: offset, isEnd: true });
}

function readPart(path: string, offset: number): OutputPart {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(MAX_READ_BYTES);
    const read = buffer.subarray(0, readSync(file, buffer, 0, MAX_READ_BYTES, offset));
    const end = read.lastIndexOf("\n") + 1;
    // A wrong offset is in the middle of a line, which is skipped.
    const lines = read
      .toString("utf8", 0, end)
      .split("\n")
      .flatMap((text) => {
        const line = storedLine.safeParse(parseJson(text));
        return line.success ? [line.data] : [];
      });
    const nextOffset = offset + end;
    return { lines, nextOffset, isEnd: nextOffset >= fstatSync(file).size };
  } finally {
    closeSync(file);
  }
}

/** How much of the end of a file is read for its last line. */
const END_BYTES = 32 * 1024;

/** The last line that a command printed and that is not empty; `null`: none. */
export function readLastLine(path: string): string | null {
  const size = attempt(() => statSync(path).size, 0);
  const { lines } = readCommandOutput(path, Math.max(0, size - END_BYTES));
  const printed = lines.filter(({ stream, message }) => stream !== "system" && message.trim() !== "");
  return printed.at(-1)?.message ?? null;
}
