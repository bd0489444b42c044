import { runInDurableObject } from "cloudflare:test";

import { aroundCalls } from "./intercept.ts";

/** Timers that wait for the test. */
export type HeldTimers = {
  /** Runs them in the object that has set them. */
  release(object: DurableObjectStub): Promise<void>;
  /** Forgets them, as the end of their object does. */
  drop(): void;
};

/** Holds all timers of one length back until the test ends, so that it decides what happens before them. */
export function holdTimers(ms: number): HeldTimers {
  const held: (() => void)[] = [];
  aroundCalls(globalThis, "setTimeout", (call, [callback, delay]) => {
    if (delay !== ms || typeof callback !== "function") return call();
    held.push(() => void Reflect.apply(callback, undefined, []));
    return undefined;
  });
  return {
    release: async (object) => {
      await runInDurableObject(object, () => held.splice(0).forEach((run) => run()));
    },
    drop: () => void held.splice(0),
  };
}
