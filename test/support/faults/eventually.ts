import { setTimeout as pause } from "node:timers/promises";

const POLL_MS = 25;
const TIMEOUT_MS = 120_000;

/** Polls until a condition holds. @throws an error that names the condition, after a timeout */
export async function eventually(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new Error(`timed out waiting until ${typeof what === "string" ? what : what()}`);
    await pause(POLL_MS);
  }
}

/** Waits for a promise. @throws an error that names the missing result, after a timeout */
export async function inTime<Value>(
  what: string,
  promise: Promise<Value>,
  timeoutMs = TIMEOUT_MS,
): Promise<Value> {
  const enough = new AbortController();
  const late = pause(timeoutMs, undefined, { signal: enough.signal, ref: false }).then(
    () => Promise.reject(new Error(`timed out waiting until ${what}`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    enough.abort();
  }
}
