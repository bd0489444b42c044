import type { Site } from "../support/faults/site.ts";
import { visitorsOf } from "../support/faults/site.ts";
import type { Chance } from "./chance.ts";
import type { Chaos } from "./chaos.ts";
import { approvalsOf } from "./fleet-checks.ts";
import { placedOn } from "./fleets.ts";
import type { Operation } from "./operation.ts";

async function change(chaos: Chaos, site: Site, changes: Record<string, unknown>): Promise<string> {
  const answer = await chaos.installation.requests.send("PATCH", `/v1/projects/${site.projectId}`, changes);
  return `${JSON.stringify(changes)} ${answer?.status ?? "no answer"}`;
}

function someRollout(chance: Chance): Record<string, unknown> {
  const approval = chance.happens(0.3);
  return {
    order: chance.pick(["rolling", "rolling", "at_once"]),
    batch: chance.integer(1, 2),
    pause_seconds: chance.integer(0, 1),
    canary: chance.happens(0.3) ? { size: 1, approval } : null,
    on_failure: chance.pick(["revert", "revert", "stop", "continue"]),
    offline: chance.pick(["wait", "skip"]),
    min: chance.integer(1, 3),
  };
}

/** What clients do with projects on several servers. */
export const fleetOperations: readonly Operation[] = [
  {
    name: "change the rollout",
    weight: 10,
    act(chaos, site, chance) {
      const rollout = someRollout(chance);
      const fleet = chaos.fleets?.of(site);
      if (fleet !== undefined && rollout["on_failure"] === "stop") fleet.hasStopped = true;
      return change(chaos, site, { rollout });
    },
  },
  {
    name: "change the servers",
    weight: 4,
    async act(chaos, site, chance) {
      const { fleets } = chaos;
      if (fleets === null) return "none";
      const shuffled = fleets.hosts.toSorted(() => chance.next() - 0.5);
      const servers = shuffled.slice(0, chance.integer(1, shuffled.length));
      // Addresses may change. The excuse ends with the visitors, in the round's check.
      site.isMoving = true;
      for (const visitor of visitorsOf(site)) visitor.excuse();
      fleets.of(site).servers = servers;
      return change(chaos, site, placedOn(servers));
    },
  },
  {
    name: "apply the settings",
    weight: 5,
    async act({ installation }, site) {
      const end = await installation.requests.configure(site.projectId, "/apply");
      return end === null ? "no answer" : "refused" in end ? end.refused : `v${end.version}`;
    },
  },
  {
    name: "approve the first servers",
    weight: 8,
    async act(chaos, site, chance) {
      const approvals = await approvalsOf(chaos, site);
      if (approvals.length === 0) return "none";
      const { path, body } = chance.pick(approvals);
      return `${(await chaos.installation.requests.send("POST", path, body))?.status ?? "no answer"}`;
    },
  },
];
