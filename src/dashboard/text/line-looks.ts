import type { LogLine, LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";
import { type Look, lookAfter, plain } from "#dashboard/text/ansi.ts";

/** How each line of a log begins: a colour that a command has turned on stays on over the end of the line. */
export class LineLooks {
  #count = 0;
  /** Only of lines that do not begin plain: most do. */
  readonly #begin = new Map<number, Readonly<Look>>();
  /** What the last line of each stream has left behind. */
  readonly #left = new Map<LogStream, { readonly stage: LogStage; readonly look: Readonly<Look> }>();

  /** Takes the next line. */
  add({ stream, stage, message }: Pick<LogLine, "stream" | "stage" | "message">): void {
    const left = this.#left.get(stream);
    // Another stage is another command, whose output begins anew.
    const look = left?.stage === stage ? left.look : plain;
    if (look !== plain) this.#begin.set(this.#count, look);
    this.#left.set(stream, { stage, look: lookAfter(message, look) });
    this.#count += 1;
  }

  /** @param index from 0 on */
  at(index: number): Readonly<Look> {
    return this.#begin.get(index) ?? plain;
  }
}
