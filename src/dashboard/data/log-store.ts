import { followLog } from "#client/follow-log.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { transport } from "#dashboard/data/api.ts";
import { Signal } from "#dashboard/data/signal.ts";
import { plainText } from "#dashboard/text/ansi.ts";
import { LineLooks } from "#dashboard/text/line-looks.ts";
import { pause } from "#contract/lib/pause.ts";

/** Lines that come in quick succession are shown together. */
const GATHER_MS = 60;
/** After so long the page gets its turn, however many lines there are to take. */
const TURN_MS = 10;

export type LogState = {
  /** Rises with each change of `lines`. */
  readonly count: number;
  readonly hasEnded: boolean;
  /** Why it is waited, or why it cannot be followed; null: it goes on, or is over. */
  readonly problem: Problem | null;
};

/** The log of a deployment, from its first line on, growing until the deployment has ended. */
export class LogStore {
  readonly state = new Signal<LogState>({ count: 0, hasEnded: false, problem: null });
  /** Grows at its end only. */
  readonly lines: LogLine[] = [];
  /** When the first line of each stage was written, in Unix milliseconds. */
  readonly beginnings = new Map<LogStage, number>();
  readonly #id: DeploymentId;
  readonly #plain: string[] = [];
  /** How each line begins. */
  readonly looks = new LineLooks();
  #aborted = new AbortController();
  #isWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: DeploymentId) {
    this.#id = id;
  }

  /** Goes on after the last line that is known. @returns what ends it */
  follow(): () => void {
    this.retry();
    globalThis.addEventListener("online", this.#wake);
    return () => {
      globalThis.removeEventListener("online", this.#wake);
      this.#aborted.abort();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Does not wait any longer, or gives what could not be followed another try. */
  readonly retry = (): void => {
    this.#aborted.abort();
    this.#aborted = new AbortController();
    void this.#follow(this.#aborted.signal);
  };

  readonly #wake = (): void => {
    if (this.#isWaiting) this.retry();
  };

  /** The text of a line as it is read, in lower case: what is searched. @param index from 0 on */
  searched(index: number): string {
    const line = this.lines[index];
    if (line === undefined) return "";
    this.#plain[index] ??= plainText(line.message).toLowerCase();
    return this.#plain[index] ?? "";
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let turnBegan = performance.now();
    this.#isWaiting = false;
    for await (const event of followLog(transport, this.#id, { afterLine: this.lines.length, signal })) {
      switch (event.type) {
        case "line":
          this.#isWaiting = false;
          this.#add(event.line);
          this.#publishSoon();
          if (performance.now() - turnBegan > TURN_MS) {
            await pause(0);
            turnBegan = performance.now();
          }
          break;
        case "waiting":
        case "problem":
          this.#isWaiting = true;
          this.#publish({ problem: event.problem });
          break;
        case "end":
          this.#publish({ hasEnded: true, problem: null });
      }
    }
  }

  #add(line: LogLine): void {
    this.looks.add(line);
    this.lines.push(line);
    if (!this.beginnings.has(line.stage)) this.beginnings.set(line.stage, Date.parse(line.time));
  }

  #publishSoon(): void {
    this.#timer ??= setTimeout(() => this.#publish({ problem: null }), GATHER_MS);
  }

  #publish(changes: Partial<LogState>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.state.set({ ...this.state.value, ...changes, count: this.lines.length });
  }
}
