import type { Interrupt } from "#agent/run/step/interrupt.ts";

/** The time that a stage may take, and what ended it early. */
export type StageLimit = {
  /** Aborted when the time is over or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly seconds: number;
  readonly hasTimedOut: boolean;
  /** Call it when the stage has ended. */
  clear(): void;
};

/** @param interrupt `null` for what is carried out even if the run is interrupted */
export function startLimit(seconds: number, interrupt: Interrupt | null): StageLimit {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), seconds * 1000);
  return {
    signal: interrupt === null ? timeout.signal : AbortSignal.any([timeout.signal, interrupt.signal]),
    seconds,
    get hasTimedOut() {
      return timeout.signal.aborted && interrupt?.signal.aborted !== true;
    },
    clear: () => clearTimeout(timer),
  };
}
