import { useEffect } from "preact/hooks";

import { Signal, useSignal } from "#dashboard/data/signal.ts";

const TICK_MS = 1_000;

/** Smaller differences are ignored: `Date` has whole seconds, and a response takes time to arrive. */
const TOLERANCE_MS = 5_000;

/** How far the control plane's clock is ahead of this machine's clock. */
let offsetMs = 0;

/** Unix milliseconds by the control plane's clock. Updated every second while a component uses it. */
const now = new Signal(Date.now());
let timer: ReturnType<typeof setInterval> | undefined;
let watchers = 0;

/**
 * Measures the difference between the two clocks.
 * @param headers of a response that has just arrived. Cloudflare's edge sets `Date`; workerd alone does not.
 */
export function syncClock(headers: Headers): void {
  const ms = Date.parse(headers.get("date") ?? "") - Date.now();
  if (!Number.isNaN(ms)) offsetMs = Math.abs(ms) > TOLERANCE_MS ? ms : 0;
}

function tick(): void {
  if (document.visibilityState === "visible") now.set(Date.now() + offsetMs);
}

/** The current time by the control plane's clock, in Unix milliseconds. Re-renders every second. */
export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    // The value may be old after a time without watchers.
    if (timer === undefined) tick();
    timer ??= setInterval(tick, TICK_MS);
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return useSignal(now);
}
