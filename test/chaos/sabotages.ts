import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { eventually } from "../support/faults/eventually.ts";
import { emptyDisk, fillDisk } from "../support/faults/fill-disk.ts";
import type { Host } from "../support/faults/host.ts";
import type { LinkProxy } from "../support/faults/link-proxy.ts";
import { signal } from "../support/faults/processes.ts";
import { appSabotages } from "./app-sabotages.ts";
import type { Chance } from "./chance.ts";
import { type Chaos, excuseVisitors, pauseIn } from "./chaos.ts";
import { FREEZE, type Sabotage, signalForAWhile } from "./sabotage.ts";
import { webhookSabotages } from "./webhook-sabotages.ts";

const anyLink = (chaos: Chaos, chance: Chance): LinkProxy =>
  chance.happens(0.3)
    ? chance.pick([chaos.installation.clients, chaos.installation.webhooks])
    : chance.pick(chaos.hosts).link;

/** Drops, doubles or splits a quarter of a link's passages. @returns ends it */
function loseSome(link: LinkProxy, chance: Chance): () => void {
  return link.rule((passage) => {
    if (passage.kind === "close" || !chance.happens(0.25)) return null;
    if (passage.kind === "request") return chance.pick(["drop", "twice", "dribble"]);
    if (passage.kind === "answer") return chance.pick(["drop", "dribble"]);
    return "pass";
  });
}

async function startSecond(host: Host): Promise<{ child: ChildProcess; home: string }> {
  const home = `${host.home}-second`;
  await mkdir(home, { recursive: true });
  await cp(join(host.home, "agent.json"), join(home, "agent.json"));
  return { child: host.spawnSecondAgent(home), home };
}

export const sabotages: readonly Sabotage[] = [
  {
    name: "the runtime is killed",
    weight: 5,
    act: async ({ installation }) => signal(installation.workerdPid(), "SIGKILL"),
  },
  {
    name: "the Worker's process is killed",
    weight: 4,
    act: async ({ installation }) => signal(installation.worker.pid(), "SIGKILL"),
  },
  {
    name: "the Worker is terminated",
    weight: 2,
    act: async ({ installation }) => signal(installation.worker.pid(), "SIGTERM"),
  },
  {
    name: "the runtime is frozen",
    weight: 3,
    act: (chaos, chance) =>
      signalForAWhile(chaos, chaos.installation.workerdPid(), FREEZE, chance.integer(100, 4_000)),
  },
  {
    name: "an agent is killed",
    weight: 10,
    async act(chaos, chance) {
      const host = chance.pick(chaos.hosts);
      await host.signalAgent("SIGKILL");
      await pauseIn(chaos, chance.integer(0, 2_500));
      host.launchAgent();
    },
  },
  {
    name: "an agent is terminated",
    weight: 4,
    async act(chaos, chance) {
      const host = chance.pick(chaos.hosts);
      await host.signalAgent("SIGTERM");
      await pauseIn(chaos, chance.integer(0, 1_500));
      host.launchAgent();
    },
  },
  {
    name: "an agent is frozen",
    weight: 4,
    act: (chaos, chance) =>
      signalForAWhile(chaos, chance.pick(chaos.hosts).agentPid(), FREEZE, chance.integer(100, 4_000)),
  },
  {
    name: "a site server is killed",
    weight: 2,
    async act(chaos, chance) {
      const host = chance.pick(chaos.hosts);
      await excuseVisitors(chaos, host, async () => {
        const before = host.sites.pid();
        signal(before, "SIGKILL");
        await eventually("the site server is restarted", () => ![null, before].includes(host.sites.pid()));
        await host.sitesUp();
      });
    },
  },
  {
    name: "a command of a run is killed",
    weight: 6,
    async act(chaos, chance) {
      const below = chance.pick(chaos.hosts).commands();
      if (below.length > 0) signal(chance.pick(below).pid, chance.happens(0.7) ? "SIGKILL" : "SIGTERM");
    },
  },
  ...appSabotages,
  ...webhookSabotages,
  {
    name: "a link is cut",
    weight: 8,
    act: async (chaos, chance) => anyLink(chaos, chance).cut(),
  },
  {
    name: "a link refuses connections",
    weight: 5,
    async act(chaos, chance) {
      const link = anyLink(chaos, chance);
      await link.refuse();
      await pauseIn(chaos, chance.integer(100, 5_000));
      await link.open();
    },
  },
  {
    name: "a link falls silent",
    weight: 6,
    async act(chaos, chance) {
      const link = anyLink(chaos, chance);
      link.silence();
      await pauseIn(chaos, chance.integer(100, 5_000));
      await link.open(chance.happens(0.5) ? "arrives" : "lost");
    },
  },
  {
    name: "a link is slow",
    weight: 4,
    async act(chaos, chance) {
      const link = anyLink(chaos, chance);
      link.slow(chance.integer(10, 400));
      await pauseIn(chaos, chance.integer(500, 5_000));
      link.slow(0);
    },
  },
  {
    name: "a link is lossy",
    weight: 6,
    async act(chaos, chance) {
      const remove = loseSome(anyLink(chaos, chance), chance.fork());
      await pauseIn(chaos, chance.integer(500, 6_000));
      remove();
    },
  },
  {
    name: "a repository is moved away",
    weight: 3,
    async act(chaos, chance) {
      const { source } = chance.pick(chaos.sites);
      const { path } = source.repository;
      await source.alone(async () => {
        await rename(path, `${path}.away`);
        await pauseIn(chaos, chance.integer(100, 2_000));
        await rename(`${path}.away`, path);
      });
    },
  },
  {
    name: "a disk is full",
    weight: 3,
    async act(chaos, chance) {
      const host = chaos.hosts.find((one) => one.hasOwnDisk);
      if (host === undefined) return;
      await fillDisk(host);
      await pauseIn(chaos, chance.integer(200, 3_000));
      await emptyDisk(host);
    },
  },
  {
    name: "a second agent takes the credential",
    weight: 1,
    async act(chaos, chance) {
      const host = chance.pick(chaos.hosts);
      const { child, home } = await startSecond(host);
      await pauseIn(chaos, chance.integer(500, 2_500));
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await rm(home, { recursive: true, force: true });
      host.launchAgent();
    },
  },
];
