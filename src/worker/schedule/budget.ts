import type { Clock, Cost } from "#worker/schedule/part.ts";

export type RunLimits = Cost & {
  /** After this time no step begins. */
  readonly timeMs: number;
};

/** What a run of the schedule may still use. All parts share it. */
export class Budget {
  readonly #clock: Clock;
  readonly #endsAt: number;
  #statements: number;
  #calls: number;

  constructor({ statements, calls, timeMs }: RunLimits, clock: Clock) {
    this.#clock = clock;
    this.#endsAt = clock.now() + timeMs;
    this.#statements = statements;
    this.#calls = calls;
  }

  /** Spends the cost of a step. @returns false if the rest of the budget does not cover it */
  spend({ statements, calls }: Cost): boolean {
    if (this.#clock.now() > this.#endsAt || statements > this.#statements || calls > this.#calls)
      return false;
    this.#statements -= statements;
    this.#calls -= calls;
    return true;
  }
}
