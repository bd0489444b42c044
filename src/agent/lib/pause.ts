import { setTimeout as sleep } from "node:timers/promises";

/** Waits, or ends early without an error when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
