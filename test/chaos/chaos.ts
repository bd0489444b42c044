import { setTimeout as pause } from "node:timers/promises";

import type { Host } from "../support/faults/host.ts";
import type { Installation } from "../support/faults/installation.ts";
import type { LogFollower } from "../support/faults/log-follower.ts";
import { sendVisitor, type Site } from "../support/faults/site.ts";
import type { Chance } from "./chance.ts";
import type { Tally } from "./tally.ts";

/** The state of a chaos run. */
export type Chaos = {
  readonly installation: Installation;
  readonly hosts: readonly Host[];
  /** Changes when a project is deleted and another one replaces it. */
  sites: Site[];
  /** The followers of logs in this round. */
  followers: LogFollower[];
  readonly chance: Chance;
  readonly tally: Tally;
  /** Prints a step with its time. */
  readonly log: (step: string) => void;
  /** Aborted at the end of the round's faults, or of the run. */
  phase: AbortSignal;
};

/** Pauses; ends early with the phase. */
export async function pauseIn(chaos: Chaos, ms: number): Promise<void> {
  await pause(ms, undefined, { signal: chaos.phase }).catch(() => undefined);
}

/** Ignores failed visits to a host's sites until `act` has ended. */
export async function excuseVisitors(chaos: Chaos, host: Host, act: () => Promise<void>): Promise<void> {
  const sites = chaos.sites.filter((site) => site.host === host);
  const excuses = sites.flatMap((site) => site.visitor?.excuse() ?? []);
  try {
    await act();
  } finally {
    for (const end of excuses) end();
  }
}

/** Sends the site's visitor to the site's current address. */
export async function redirectVisitor(chaos: Chaos, site: Site): Promise<void> {
  const before = site.visitor;
  await before?.leave();
  if (before !== null) chaos.tally.visits(before);
  await sendVisitor(chaos.installation, site);
}
