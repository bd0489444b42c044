import { runInDurableObject } from "cloudflare:test";
import { beforeEach, vi } from "vitest";

import { aroundCalls } from "./intercept.ts";
import { type Part, partMethods } from "./parts.ts";

/**
 * How a call to another part goes wrong. `refused`: it never arrives. `answer lost`: it takes effect, and nobody hears of
 * it. `killed`: at that moment the Durable Objects lose their isolates, with all that was not saved.
 */
export const faultKinds = ["refused", "answer lost", "killed"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Gives a new stub for an object: one that was there when it was killed stays broken. */
export type ObjectOf = () => DurableObjectStub;

const RESET = "Durable Object reset because its code was updated.";

/** What each part says when it is not there. Source: Cloudflare's documentation, the error lists of D1, R2 and Durable Objects. */
const messages: Record<Part, string> = {
  d1: "D1_ERROR: Network connection lost.",
  r2: "put: We encountered an internal error. Please try again. (10001)",
  lane: "Network connection lost.",
  link: "Network connection lost.",
};

/** For the tests of a file: they set the time themselves, and what is said of what fails on purpose is not printed. */
export function setUpForFaults(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    vi.spyOn(console, "error").mockImplementation(() => {});
    return () => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    };
  });
}

/** Counts the calls to other parts, and lets one of them go wrong, or all that a part gets. It ends with the test. */
export class Faults {
  #isCounting = false;
  #calls: string[] = [];
  #at: number | null = null;
  #kind: FaultKind = "refused";
  readonly #down = new Set<Part>();
  #isWaitingForKill = false;

  constructor() {
    for (const { part, owner, method } of partMethods())
      aroundCalls(owner, method, (call) => this.#meet(part, method, call));
  }

  /**
   * Counts from 0 from now on.
   * @param at the call that goes wrong; null: none
   * @param objects those that are `killed`
   */
  count(at: number | null, kind: FaultKind = "refused", objects: readonly ObjectOf[] = []): void {
    this.#calls = [];
    this.#at = at;
    this.#kind = kind;
    this.#isCounting = true;
    if (kind === "killed") void this.#kill(objects);
  }

  /** Lets everything go through again. Returns the calls that were counted, by their names. */
  stop(): readonly string[] {
    this.#isCounting = false;
    return this.#calls;
  }

  /** Takes parts away, until they are brought back. */
  take(...parts: readonly Part[]): void {
    for (const part of parts) this.#down.add(part);
  }

  bringBack(...parts: readonly Part[]): void {
    for (const part of parts) this.#down.delete(part);
  }

  #meet(part: Part, method: string, call: () => unknown): unknown {
    if (this.#down.has(part)) return Promise.reject(lost(part));
    if (!this.#isCounting) return call();
    const isMeant = this.#calls.length === this.#at;
    this.#calls.push(`${part} ${method}`);
    return isMeant ? this.#goWrong(part, call) : call();
  }

  async #goWrong(part: Part, call: () => unknown): Promise<unknown> {
    switch (this.#kind) {
      case "refused":
        throw lost(part);
      case "answer lost":
        await call();
        throw lost(part);
      case "killed":
        this.#isWaitingForKill = true;
        while (this.#isWaitingForKill) await scheduler.wait(1);
        // Only where it was a Worker that called, and no Durable Object.
        return await call();
    }
  }

  /** From outside, because the runtime does not let an object end itself with all others. */
  async #kill(objects: readonly ObjectOf[]): Promise<void> {
    while (this.#isCounting && !this.#isWaitingForKill) await scheduler.wait(1);
    if (this.#isWaitingForKill) await Promise.all(objects.map(kill));
    this.#isWaitingForKill = false;
  }
}

/** Takes an object's isolate away, with everything that goes on in it. */
export async function kill(object: ObjectOf): Promise<void> {
  try {
    await runInDurableObject(object(), (_object, state) => state.abort(RESET));
  } catch {
    // The call ends with the object.
  }
}

function lost(part: Part): Error {
  return new Error(messages[part]);
}
