import { runInDurableObject } from "cloudflare:test";
import { beforeEach, vi } from "vitest";

import { sampleSeed } from "../sample.ts";
import { aroundCalls } from "./intercept.ts";
import { type Part, partMethods } from "./parts.ts";

/**
 * How a call to another part fails. `refused`: it never arrives. `answer lost`: it takes effect, but its answer does not
 * arrive. `killed`: at that moment the Durable Objects lose their isolates with everything that was not saved.
 */
export const faultKinds = ["refused", "answer lost", "killed"] as const;
export type FaultKind = (typeof faultKinds)[number];

/**
 * Which kind of fault a walk tests at each point: all kinds at all points would take too long, so each run tests one kind at
 * each point, and the runs of three days test all.
 */
export function kindsOfPoints(): (at: number) => FaultKind {
  const first = sampleSeed() % faultKinds.length;
  return (at) => faultKinds[(at + 1 + first) % faultKinds.length] ?? "refused";
}

/** Returns a new stub for an object. A stub from before a kill stays broken. */
export type ObjectOf = () => DurableObjectStub;

const RESET = "Durable Object reset because its code was updated.";

/** The error of each part during an outage. Source: Cloudflare's documentation, the error lists of D1, R2 and Durable Objects. */
const messages: Record<Part, string> = {
  d1: "D1_ERROR: Network connection lost.",
  r2: "put: We encountered an internal error. Please try again. (10001)",
  lane: "Network connection lost.",
  link: "Network connection lost.",
  feed: "Network connection lost.",
  outlet: "Network connection lost.",
};

/** Sets up the tests of a file: they control the time, and expected errors are not printed. */
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

/** Counts the calls to other parts, and makes one of them fail, or all calls to a part. It ends with the test. */
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
   * Starts counting at 0.
   * @param at the call that fails; null: none
   * @param objects the objects that `killed` kills
   */
  count(at: number | null, kind: FaultKind = "refused", objects: readonly ObjectOf[] = []): void {
    this.#calls = [];
    this.#at = at;
    this.#kind = kind;
    this.#isCounting = true;
    if (kind === "killed") void this.#kill(objects);
  }

  /** Stops counting and failing. @returns the names of the counted calls */
  stop(): readonly string[] {
    this.#isCounting = false;
    return this.#calls;
  }

  /** Makes all calls to parts fail, until `enable`. */
  disable(...parts: readonly Part[]): void {
    for (const part of parts) this.#down.add(part);
  }

  enable(...parts: readonly Part[]): void {
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
        // Reached only if a Worker made the call, not a Durable Object.
        return await call();
    }
  }

  /** Called from outside, because an object cannot kill itself together with others. */
  async #kill(objects: readonly ObjectOf[]): Promise<void> {
    while (this.#isCounting && !this.#isWaitingForKill) await scheduler.wait(1);
    if (this.#isWaitingForKill) await Promise.all(objects.map(kill));
    this.#isWaitingForKill = false;
  }
}

/** Kills an object's isolate with everything that runs in it. */
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
