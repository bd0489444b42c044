import type { Interrupt } from "#agent/step/interrupt.ts";

/** The time limit of a stage. */
export type StageLimit = {
  /** Aborted when the time is up or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly seconds: number;
  readonly hasTimedOut: boolean;
  /** Call it when the stage has ended. */
  clear(): void;
};

/**
 * @param interrupt `null` for work that an interrupt must not stop
 * @param spentMs how much of the time the stage has used before
 */
export function startLimit(
  seconds: number,
  interrupt: Pick<Interrupt, "signal"> | null,
  spentMs = 0,
): StageLimit {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), Math.max(0, seconds * 1000 - spentMs));
  return {
    signal: interrupt === null ? timeout.signal : AbortSignal.any([timeout.signal, interrupt.signal]),
    seconds,
    get hasTimedOut() {
      return timeout.signal.aborted && interrupt?.signal.aborted !== true;
    },
    clear: () => clearTimeout(timer),
  };
}
