import { useEffect } from "preact/hooks";

import { Signal, useSignal } from "#dashboard/data/signal.ts";

const TICK_MS = 1_000;

/** Unix milliseconds, once a second while somebody looks. */
const now = new Signal(Date.now());
let timer: ReturnType<typeof setInterval> | undefined;
let watchers = 0;

/** The time, for what shows how long ago or for how long something is. */
export function useNow(): number {
  useEffect(() => {
    watchers += 1;
    timer ??= setInterval(() => {
      if (document.visibilityState === "visible") now.set(Date.now());
    }, TICK_MS);
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return useSignal(now);
}
