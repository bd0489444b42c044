import type { FromAgent } from "#contract/agent-protocol.ts";

/**
 * A token bucket: its size, and how much it refills each second. A message costs 1, plus 1 for each project and run in
 * it, because each causes work. A server with 1,000 projects may send its hello ten times in a row.
 */
const CAPACITY = 10_000;
const REFILL_PER_SECOND = 100;

/** Limits how much work an agent causes over its link. In memory only: it restarts full when the object does. */
export class LinkLimit {
  readonly #now: () => number;
  #left = CAPACITY;
  #countedAt: number;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#countedAt = now();
  }

  /** Counts a message. Returns false if it exceeds the limit. */
  consume(message: FromAgent | null): boolean {
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
  if (message?.type === "hello")
    return 1 + message.projects.length + message.runs.length + message.deploy_keys.length;
  return message?.type === "status" ? 1 + message.projects.length : 1;
}
