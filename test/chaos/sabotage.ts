import { signal } from "../support/faults/processes.ts";
import type { Chance } from "./chance.ts";
import { type Chaos, pauseIn } from "./chaos.ts";

export type Sabotage = {
  readonly name: string;
  readonly weight: number;
  /** Causes a fault, and ends it after a while. */
  act(chaos: Chaos, chance: Chance): Promise<void>;
};

/** Stops a process, and lets it continue. */
export const FREEZE = ["SIGSTOP", "SIGCONT"] as const;

/** Sends a process a signal, and another one after a while. */
export async function signalForAWhile(
  chaos: Chaos,
  pid: number | null,
  [pausing, resuming]: readonly [NodeJS.Signals, NodeJS.Signals],
  ms: number,
): Promise<void> {
  signal(pid, pausing);
  await pauseIn(chaos, ms);
  signal(pid, resuming);
}
