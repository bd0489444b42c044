import type { FromAgent } from "#contract/agent-protocol.ts";

/**
 * What an agent may say at once, and what it gets back each second. A message counts 1, and 1 more for each project and
 * run that it names, because that is what it costs. A server with 1,000 projects may say hello ten times in a row.
 */
const CAPACITY = 10_000;
const REFILL_PER_SECOND = 100;

/** Limits how much work an agent causes over its link. It lives as long as the object, which is as long as there is work. */
export class LinkLimit {
  readonly #now: () => number;
  #left = CAPACITY;
  #countedAt: number;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#countedAt = now();
  }

  /** Counts a message. Returns false where it is more than the agent may say. */
  take(message: FromAgent | null): boolean {
    const now = this.#now();
    const refill = (Math.max(0, now - this.#countedAt) / 1000) * REFILL_PER_SECOND;
    this.#left = Math.min(CAPACITY, this.#left + refill);
    this.#countedAt = now;
    const cost = costOf(message);
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

function costOf(message: FromAgent | null): number {
  switch (message?.type) {
    case "hello":
      return 1 + message.projects.length + message.runs.length;
    case "status":
      return 1 + message.projects.length;
    case "serving":
    case "project_removed":
    case undefined:
      return 1;
  }
}
