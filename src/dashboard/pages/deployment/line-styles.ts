import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import { plainStyle, type TextStyle } from "#contract/text-style.ts";
import { styleAfter } from "#dashboard/text/ansi.ts";

type StyledLine = Pick<LogLine, "stream" | "stage" | "message" | "server_id">;

/** The style that each line of a log starts with. A color that a command turns on stays on in the next lines. */
export class LineStyles {
  #count = 0;
  /** Only of lines that do not start plain. */
  readonly #begin = new Map<number, Readonly<TextStyle>>();
  /** The style at the end of the last line of each stream of each server. */
  readonly #left = new Map<string, { readonly stage: LogStage; readonly style: Readonly<TextStyle> }>();

  /** Adds the next line. */
  add({ stream, stage, message, server_id: server }: StyledLine): void {
    const source = `${server} ${stream}`;
    const left = this.#left.get(source);
    // Each stage runs another command, whose output starts plain.
    const style = left?.stage === stage ? left.style : plainStyle;
    if (style !== plainStyle) this.#begin.set(this.#count, style);
    this.#left.set(source, { stage, style: styleAfter(message, style) });
    this.#count += 1;
  }

  /** @param index from 0 */
  at(index: number): Readonly<TextStyle> {
    return this.#begin.get(index) ?? plainStyle;
  }
}
