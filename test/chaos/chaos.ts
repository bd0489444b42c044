import { setTimeout as pause } from "node:timers/promises";

import type { Host } from "../support/faults/host.ts";
import type { Installation } from "../support/faults/installation.ts";
import type { LogFollower } from "../support/faults/log-follower.ts";
import { sendVisitor, type Site, visitorsOf, visitorsOn } from "../support/faults/site.ts";
import type { Chance } from "./chance.ts";
import type { Fleets } from "./fleets.ts";
import type { Tally } from "./tally.ts";

/** The state of a chaos run. */
export type Chaos = {
  readonly installation: Installation;
  readonly hosts: readonly Host[];
  /** Projects on several servers; null: each is on one. */
  readonly fleets: Fleets | null;
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
  const excuses = chaos.sites.flatMap((site) => visitorsOn(site, host)).map((visitor) => visitor.excuse());
  try {
    await act();
  } finally {
    for (const end of excuses) end();
  }
}

/** Sends the site's visitors to the site's current addresses. */
export async function redirectVisitors(chaos: Chaos, site: Site): Promise<void> {
  await endVisits(chaos, site);
  await sendVisitor(chaos.installation, site);
}

/** Ends the visits of a site, and counts them. */
export async function endVisits({ tally }: Chaos, site: Site): Promise<void> {
  for (const visitor of visitorsOf(site)) {
    await visitor.leave();
    tally.visits(visitor);
  }
}
