import { setTimeout as pause } from "node:timers/promises";

const POLL_MS = 25;
const TIMEOUT_MS = 40_000;

/** Waits until something holds. @throws with what was waited for when it does not in time */
export async function eventually(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new Error(`waited in vain until ${typeof what === "string" ? what : what()}`);
    await pause(POLL_MS);
  }
}

/** As much of a promise as comes in time. @throws with what was waited for */
export async function inTime<Value>(
  what: string,
  promise: Promise<Value>,
  timeoutMs = TIMEOUT_MS,
): Promise<Value> {
  const enough = new AbortController();
  const late = pause(timeoutMs, undefined, { signal: enough.signal, ref: false }).then(
    () => Promise.reject(new Error(`waited in vain until ${what}`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    enough.abort();
  }
}
