import type { Host } from "../support/faults/host.ts";
import { type InstanceProcess, instancesOn } from "../support/faults/instances.ts";
import { visitorsOn } from "../support/faults/site.ts";
import { signal } from "../support/faults/processes.ts";
import { type Chaos, pauseIn } from "./chaos.ts";
import { FREEZE, type Sabotage, signalForAWhile } from "./sabotage.ts";

/** Kills instances of the sites, whose visitors may get errors until they are answered again. */
async function killInstances(
  chaos: Chaos,
  host: Host,
  choose: (all: readonly InstanceProcess[]) => readonly InstanceProcess[],
): Promise<void> {
  for (const { pid, projectId } of choose(await instancesOn(host))) {
    const site = chaos.sites.find((one) => one.projectId === projectId);
    for (const visitor of site === undefined ? [] : visitorsOn(site, host)) visitor.excuseUntilAnswered();
    signal(pid, "SIGKILL");
  }
}

/** Faults of what runs apps: supervisors and instances. */
export const appSabotages: readonly Sabotage[] = [
  {
    name: "a supervisor is killed",
    weight: 6,
    act: async (chaos, chance) => signal(chance.pick(chaos.hosts).supervisorPid(), "SIGKILL"),
  },
  {
    name: "a supervisor is terminated",
    weight: 2,
    act: async (chaos, chance) => signal(chance.pick(chaos.hosts).supervisorPid(), "SIGTERM"),
  },
  {
    name: "a supervisor is frozen",
    weight: 2,
    act: (chaos, chance) =>
      signalForAWhile(chaos, chance.pick(chaos.hosts).supervisorPid(), FREEZE, chance.integer(100, 4_000)),
  },
  {
    name: "a supervisor and its agent are killed",
    weight: 4,
    async act(chaos, chance) {
      const host = chance.pick(chaos.hosts);
      signal(host.supervisorPid(), "SIGKILL");
      await host.signalAgent("SIGKILL");
      await pauseIn(chaos, chance.integer(0, 2_500));
      host.launchAgent();
    },
  },
  {
    name: "an instance is killed",
    weight: 6,
    act: (chaos, chance) =>
      killInstances(chaos, chance.pick(chaos.hosts), (all) => (all.length === 0 ? [] : [chance.pick(all)])),
  },
  {
    name: "everything of the apps of a server is killed",
    weight: 2,
    async act(chaos, chance) {
      const host = chance.pick(chaos.hosts);
      signal(host.supervisorPid(), "SIGKILL");
      await host.signalAgent("SIGKILL");
      await killInstances(chaos, host, (all) => all);
      await pauseIn(chaos, chance.integer(0, 1_500));
      host.launchAgent();
    },
  },
];
