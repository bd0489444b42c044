import type { LogLine, LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";
import { type Look, lookAfter, plain } from "#dashboard/text/ansi.ts";

/** The style that each line of a log starts with. A color that a command turns on stays on in the next lines. */
export class LineLooks {
  #count = 0;
  /** Only of lines that do not start plain. */
  readonly #begin = new Map<number, Readonly<Look>>();
  /** The style at the end of each stream's last line. */
  readonly #left = new Map<LogStream, { readonly stage: LogStage; readonly look: Readonly<Look> }>();

  /** Adds the next line. */
  add({ stream, stage, message }: Pick<LogLine, "stream" | "stage" | "message">): void {
    const left = this.#left.get(stream);
    // Each stage runs another command, whose output starts plain.
    const look = left?.stage === stage ? left.look : plain;
    if (look !== plain) this.#begin.set(this.#count, look);
    this.#left.set(stream, { stage, look: lookAfter(message, look) });
    this.#count += 1;
  }

  /** @param index from 0 */
  at(index: number): Readonly<Look> {
    return this.#begin.get(index) ?? plain;
  }
}
