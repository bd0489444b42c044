import type { StartEnd } from "../support/faults/requests.ts";
import type { Site } from "../support/faults/site.ts";
import type { Chance } from "./chance.ts";
import type { Chaos } from "./chaos.ts";

export type Operation = {
  readonly name: string;
  readonly weight: number;
  readonly isOfApps?: boolean;
  /** Whether it is for projects on several servers, or for projects on one; absent: for both. */
  readonly isOfFleets?: boolean;
  /** @returns the outcome in a few words */
  act(chaos: Chaos, site: Site, chance: Chance): Promise<string>;
};

/** The outcome of a start in a few words. */
export const describe = (end: StartEnd): string => {
  if (end === null) return "no answer";
  return "refused" in end ? end.refused : `v${end.version}`;
};
