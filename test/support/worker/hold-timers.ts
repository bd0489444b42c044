import { runInDurableObject } from "cloudflare:test";

import { aroundCalls } from "./intercept.ts";

/**
 * Holds all timers of one length back, until the test ends or releases them, so that it decides what happens before them.
 * @returns runs the timers that are held, in the object that has set them
 */
export function holdTimers(ms: number): (object: DurableObjectStub) => Promise<void> {
  const held: (() => void)[] = [];
  aroundCalls(globalThis, "setTimeout", (call, [callback, delay]) => {
    if (delay !== ms || typeof callback !== "function") return call();
    held.push(() => void Reflect.apply(callback, undefined, []));
    return undefined;
  });
  return async (object) => {
    await runInDurableObject(object, () => held.splice(0).forEach((run) => run()));
  };
}
