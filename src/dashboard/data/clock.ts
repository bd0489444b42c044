import { useEffect } from "preact/hooks";

import { Signal, useSignal } from "#dashboard/data/signal.ts";

const TICK_MS = 1_000;

/** A `Date` is whole seconds, and an answer is some time on its way: no more than this is taken for a wrong clock. */
const TOLERANCE_MS = 5_000;

/** How far the control plane's clock, by which all its times are, is ahead of this machine's. */
let aheadMs = 0;

/** Unix milliseconds, once a second while somebody looks. */
const now = new Signal(Date.now());
let timer: ReturnType<typeof setInterval> | undefined;
let watchers = 0;

/** @param headers of an answer that has just come; the edge gives each its `Date`, workerd alone does not */
export function noteTime(headers: Headers): void {
  const ms = Date.parse(headers.get("date") ?? "") - Date.now();
  if (!Number.isNaN(ms)) aheadMs = Math.abs(ms) > TOLERANCE_MS ? ms : 0;
}

function tick(): void {
  if (document.visibilityState === "visible") now.set(Date.now() + aheadMs);
}

/** The control plane's time, for what shows how long ago or for how long something is. */
export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    // Nobody may have looked for long.
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
