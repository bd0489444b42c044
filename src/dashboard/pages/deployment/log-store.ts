import { followLog } from "#client/follow-log.ts";
import type { DeploymentId, ServerId } from "#contract/ids.ts";
import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { streams } from "#dashboard/data/stream-slots.ts";
import { Signal } from "#dashboard/data/signal.ts";
import { LineStyles } from "#dashboard/pages/deployment/line-styles.ts";
import { LineTexts } from "#dashboard/text/line-texts.ts";
import { pause } from "#contract/lib/pause.ts";

/** Lines that arrive within this time are rendered together. */
const GATHER_MS = 60;
/** After reading lines for this long, the page gets a turn to render and to handle input. */
const TURN_MS = 10;

export type LogState = {
  /** The number of lines. It rises with each change of `lines`. */
  readonly count: number;
  readonly hasEnded: boolean;
  /** Why the stream is interrupted or failed; null while it runs and after its end. */
  readonly problem: Problem | null;
};

/** The times of the first and the last line of a stage, in Unix milliseconds. */
export type StageSpan = { readonly first: number; readonly last: number };
type ServerStages = Map<LogStage, StageSpan>;

/** The log of a deployment, from its first line. It grows until the deployment has ended. */
export class LogStore {
  readonly state = new Signal<LogState>({ count: 0, hasEnded: false, problem: null });
  /** Lines are only appended. */
  readonly lines: LogLine[] = [];
  /** The time of each stage's first line, in Unix milliseconds. */
  readonly stageStarts = new Map<LogStage, number>();
  /** The same for each of several servers. */
  readonly serverStages = new Map<ServerId, ServerStages>();
  readonly texts = new LineTexts(this.lines);
  readonly #id: DeploymentId;
  /** The text style that each line starts with. */
  readonly styles = new LineStyles();
  #aborted = new AbortController();
  #isWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: DeploymentId) {
    this.#id = id;
  }

  /** Streams the lines after the last known one. @returns a function that stops the stream */
  follow(): () => void {
    this.retry();
    globalThis.addEventListener("online", this.#wake);
    document.addEventListener("visibilitychange", this.#wake);
    return () => {
      document.removeEventListener("visibilitychange", this.#wake);
      globalThis.removeEventListener("online", this.#wake);
      this.#aborted.abort();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Connects again immediately. */
  readonly retry = (): void => {
    this.#aborted.abort();
    this.#aborted = new AbortController();
    void this.#follow(this.#aborted.signal);
  };

  readonly #wake = (): void => {
    if (this.#isWaiting && !document.hidden) this.retry();
  };

  async #follow(signal: AbortSignal): Promise<void> {
    let turnBegan = performance.now();
    this.#isWaiting = false;
    for await (const event of followLog(streams, this.#id, { afterLine: this.lines.length, signal })) {
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
    this.styles.add(line);
    this.lines.push(line);
    // Read now, not when rendering: all new lines together would delay the frame.
    this.texts.at(this.lines.length - 1);
    const time = Date.parse(line.time);
    if (!this.stageStarts.has(line.stage)) this.stageStarts.set(line.stage, time);
    if (line.server_id === undefined) return;
    const stages = this.serverStages.get(line.server_id) ?? new Map<LogStage, StageSpan>();
    stages.set(line.stage, { first: stages.get(line.stage)?.first ?? time, last: time });
    this.serverStages.set(line.server_id, stages);
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
