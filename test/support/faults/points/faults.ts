import { rename } from "node:fs/promises";

import { eventually } from "../eventually.ts";
import type { Host } from "../host.ts";
import { processesIn, signal } from "../processes.ts";
import type { Fault, Scene } from "./point.ts";

/** The Worker's process, or the runtime in it, is ended, and something starts it again. */
const workerEnds =
  (pidOf: (scene: Scene) => number | null, how: NodeJS.Signals): Fault =>
  async (scene) => {
    const before = pidOf(scene);
    signal(before, how);
    await eventually("the Worker is started again", () => ![null, before].includes(pidOf(scene)));
    await scene.installation.workerUp();
    // Whatever stood in the middle of it has died with it.
    return "drop";
  };

const servingPid = ({ installation }: Scene) => installation.worker.pid();

export const faults = {
  none: (async () => undefined) satisfies Fault,
  drop: (async () => "drop") satisfies Fault,
  twice: (async () => "twice") satisfies Fault,
  dribble: (async () => "dribble") satisfies Fault,
  runtimeDies: workerEnds(({ installation }) => installation.workerdPid(), "SIGKILL"),
  workerDies: workerEnds(servingPid, "SIGKILL"),
  workerIsEnded: workerEnds(servingPid, "SIGTERM"),
  agentDies: (async ({ host }) => {
    await host.signalAgent("SIGKILL");
    return "drop";
  }) satisfies Fault,
  agentIsEnded: (async ({ host }) => {
    await host.signalAgent("SIGTERM");
    return "drop";
  }) satisfies Fault,
  /** As `agentDies`, and what stands goes on: it has nothing to do with the agent. */
  agentGoesAway: (async ({ host }) => host.signalAgent("SIGKILL")) satisfies Fault,
  linkIsCut: (async ({ host }) => {
    const welcome = host.welcomed();
    host.link.cut();
    await welcome;
    return "drop";
  }) satisfies Fault,
} as const;

/** Kills every process of one name below the agent. */
export const killBelowAgent =
  (name: string): Fault =>
  async ({ host }) => {
    const agent = host.agentPid();
    await eventually(`there is a ${name}`, () => processesIn(agent, name).length > 0);
    for (const pid of processesIn(agent, name)) signal(pid, "SIGKILL");
  };

/** Starts the agent again, as systemd would. */
export const agentComesBack = async ({ host }: Scene): Promise<void> => host.startAgent();

/** How often the agent has said that its link is lost. */
async function lossesOf(host: Host): Promise<number> {
  return (await host.output()).split("cannot be reached").length;
}

/** Refuses every connection until the agent has noticed. */
export const controlPlaneIsAway: Fault = async ({ host }) => {
  const before = await lossesOf(host);
  await host.link.refuse();
  await eventually("the agent has noticed that nobody is there", async () => (await lossesOf(host)) > before);
  const welcome = host.welcomed();
  await host.link.open();
  await welcome;
};

/** Waits until the agent has noticed that its link is dead, and then lets it through again. */
export const linkFallsSilent =
  (held: "arrives" | "lost"): Fault =>
  async ({ host }) => {
    const before = await lossesOf(host);
    host.link.silence();
    await eventually("the agent has noticed the silence", async () => (await lossesOf(host)) > before);
    const welcome = host.welcomed();
    await host.link.open(held);
    await welcome;
    return held === "lost" ? "drop" : "pass";
  };

/** The repository is somewhere else for as long as the point lasts. */
export const repositoryGoesAway: Fault = async ({ site }) => {
  await rename(site.source.repository.path, `${site.source.repository.path}.away`);
};
export const repositoryComesBack = async ({ site }: Scene): Promise<void> =>
  rename(`${site.source.repository.path}.away`, site.source.repository.path);
