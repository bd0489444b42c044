import { rename } from "node:fs/promises";

import { eventually } from "../eventually.ts";
import type { Host } from "../host.ts";
import { instancesOn } from "../instances.ts";
import { signal } from "../processes.ts";
import { sendVisitor } from "../site.ts";
import type { Fault, Scene } from "./point.ts";

/** Ends the Worker's process, or its runtime, and waits until the supervisor has restarted it. */
const workerEnds =
  (pidOf: (scene: Scene) => number | null, how: NodeJS.Signals): Fault =>
  async (scene) => {
    const before = pidOf(scene);
    signal(before, how);
    await eventually("the Worker is restarted", () => ![null, before].includes(pidOf(scene)));
    await scene.installation.workerUp();
    // The held request died with the process.
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
  /** As `agentDies`, but the held passage continues, because it is not the agent's. */
  agentGoesAway: (async ({ host }) => host.signalAgent("SIGKILL")) satisfies Fault,
  linkIsCut: (async ({ host }) => {
    const welcome = host.welcomed();
    host.link.cut();
    await welcome;
    return "drop";
  }) satisfies Fault,
  siteServerDies: (async ({ host, site }) => {
    const before = host.sites.pid();
    const endExcuse = site.visitor?.excuse();
    signal(before, "SIGKILL");
    await eventually("the site server is restarted", () => ![null, before].includes(host.sites.pid()));
    await host.sitesUp();
    endExcuse?.();
  }) satisfies Fault,
  supervisorDies: (async ({ host }) => {
    await killSupervisor(host);
  }) satisfies Fault,
  supervisorAndAgentDie: (async ({ host }) => {
    await killSupervisor(host);
    await host.signalAgent("SIGKILL");
    return "drop";
  }) satisfies Fault,
  /** Visitors get errors until the instances run again. */
  instancesDie: (async (scene) => killInstances(scene)) satisfies Fault,
  supervisorAndInstancesDie: (async (scene) => {
    await killSupervisor(scene.host);
    await killInstances(scene);
  }) satisfies Fault,
} as const;

async function killSupervisor(host: Host): Promise<void> {
  const pid = host.supervisorPid();
  if (pid === null) throw new Error(`${host.name} has no supervisor`);
  signal(pid, "SIGKILL");
  await eventually("the supervisor has ended", () => host.supervisorPid() !== pid);
}

/** The excuse ends with the scene's recovery, see `appAnswers`. */
async function killInstances({ host, site }: Scene): Promise<void> {
  site.visitor?.excuse();
  for (const { pid, projectId } of await instancesOn(host))
    if (projectId === site.projectId) signal(pid, "SIGKILL");
}

/** Waits until the site's app answers again, and sends another visitor, who may see no error. */
export const appAnswers = async ({ installation, site }: Scene): Promise<void> => {
  const { url } = await installation.api.getProject(site.projectId);
  await eventually("the app answers", () =>
    fetch(url ?? "", { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    ),
  );
  await site.visitor?.leave();
  await sendVisitor(installation, site);
};

/** Kills every process of one name below the agent. */
export const killBelowAgent =
  (name: string): Fault =>
  async ({ host }) => {
    const named = () => host.commands().filter((command) => command.name === name);
    await eventually(`${name} runs`, () => named().length > 0);
    for (const { pid } of named()) signal(pid, "SIGKILL");
  };

/** Starts the agent again, as systemd would. */
export const restartAgent = async ({ host }: Scene): Promise<void> => host.startAgent();

/** How often the agent has logged that its link is lost. */
async function lossesOf(host: Host): Promise<number> {
  return (await host.output()).split("cannot be reached").length;
}

/** Refuses every connection until the agent has logged the loss. */
export const controlPlaneIsAway: Fault = async ({ host }) => {
  const before = await lossesOf(host);
  await host.link.refuse();
  await eventually("the agent has logged the lost link", async () => (await lossesOf(host)) > before);
  const welcome = host.welcomed();
  await host.link.open();
  await welcome;
};

/** Silences the link until the agent has logged the loss, and then opens it. */
export const linkFallsSilent =
  (held: "arrives" | "lost"): Fault =>
  async ({ host }) => {
    const before = await lossesOf(host);
    host.link.silence();
    await eventually("the agent has logged the lost link", async () => (await lossesOf(host)) > before);
    const welcome = host.welcomed();
    await host.link.open(held);
    await welcome;
    return held === "lost" ? "drop" : "pass";
  };

/** Moves the repository to another path, so that fetches fail. */
export const moveRepositoryAway: Fault = async ({ site }) => {
  await rename(site.source.repository.path, `${site.source.repository.path}.away`);
};
export const moveRepositoryBack = async ({ site }: Scene): Promise<void> =>
  rename(`${site.source.repository.path}.away`, site.source.repository.path);
