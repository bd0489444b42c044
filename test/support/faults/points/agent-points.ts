import { once } from "node:events";
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { eventually } from "../eventually.ts";
import { signal } from "../processes.ts";
import { deployNext } from "./deploy-next.ts";
import { moving, purging, rollingBack } from "./doings.ts";
import { restartAgent, faults } from "./faults.ts";
import { at } from "./moments.ts";
import type { Fault, FaultPoint, Scene } from "./point.ts";
import { releasedOnce, withReleaseCommand } from "./released-once.ts";

const withHealthCheck: NonNullable<FaultPoint["settings"]> = ({ health }) => ({
  health_check: { url: health.url, tries: 3, interval_seconds: 0.1 },
});

/** Stops the agent's process until its link is cut. */
const agentHangs: Fault = async ({ host }) => {
  const pid = host.agentPid();
  signal(pid, "SIGSTOP");
  host.link.cut();
  const welcome = host.welcomed();
  signal(pid, "SIGCONT");
  await welcome;
};

/** Starts a second agent with a copy of the credential, which makes the first one exit. */
const secondAgentTakesOver: Fault = async ({ host }) => {
  const home = `${host.home}-second`;
  await mkdir(home, { recursive: true });
  await cp(join(host.home, "agent.json"), join(home, "agent.json"));
  const second = host.spawnSecondAgent(home);
  await eventually("the first agent has ended", () => host.agentPid() === null);
  second.kill("SIGTERM");
  await once(second, "exit");
  await rm(home, { recursive: true, force: true });
};

/** Enrols the server again, so that the running agent's credential becomes invalid. */
const credentialIsReplaced: Fault = async ({ host }) => {
  await host.enroll();
  await eventually("the agent has ended", () => host.agentPid() === null);
};

/** Starts the agent once a deployment waits for it. */
const comesLate = async (scene: Scene): Promise<void> => {
  const { installation, site } = scene;
  await eventually("a deployment waits", async () => {
    const all = await installation.api.listDeployments(site.projectId);
    return all.some(({ status }) => status === "building");
  });
  await restartAgent(scene);
};

const isLost: NonNullable<FaultPoint["check"]> = ({ failure }) => {
  if (failure?.code !== "server_lost")
    throw new Error(`it failed with ${failure?.code}, and not server_lost`);
};

const isOffline: FaultPoint["check"] = ({ failure }) => {
  if (failure?.code !== "server_offline")
    throw new Error(`it failed with ${failure?.code}, and not server_offline`);
};

/** Starts the agent after the deployment has failed. */
const comesTooLate = async (scene: Scene): Promise<void> => {
  const { installation, site } = scene;
  await eventually("the deployment is given up", async () => {
    const [newest] = await installation.api.listDeployments(site.projectId);
    return newest?.status === "failed";
  });
  await restartAgent(scene);
};

/** Enough files that their removal takes a moment. */
const manyFiles = { build: "mkdir -p many; touch many/$(seq -s ' many/' 600)" };
const deployManyFiles = async (scene: Scene): Promise<void> => {
  for (let count = 0; count < 2; count += 1) await deployNext(scene, manyFiles);
};

const dies = { fault: faults.agentDies, recover: restartAgent } as const;
const isEnded = { fault: faults.agentIsEnded, recover: restartAgent } as const;

/** The agent ends in each of its stages, and starts again. */
export const agentPoints: readonly FaultPoint[] = [
  { name: "the agent dies before its order arrives", at: at.order, ...dies, ends: ["live"] },
  { name: "the agent dies in the fetch", at: at.gate("fetch"), ...dies, ends: ["failed"], check: isLost },
  {
    name: "the agent dies after it has resolved the commit",
    at: at.resolved,
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  { name: "the agent dies in the build", at: at.gate("build"), ...dies, ends: ["failed"], check: isLost },
  {
    name: "the agent dies with output on its way",
    at: at.firstOutput,
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent dies while it asks for the permit",
    at: at.ready,
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent dies between the permit and the switch",
    at: at.permit,
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent dies in the release command",
    settings: withReleaseCommand,
    at: at.gate("release"),
    ...dies,
    ends: ["failed"],
    async check(deployment, scene) {
      await isLost(deployment, scene);
      await releasedOnce(deployment, scene);
    },
  },
  {
    name: "the agent dies in the activate command",
    at: at.gate("activate"),
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent dies in the health check",
    settings: withHealthCheck,
    at: at.healthCheck,
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  { name: "the agent dies with its result on its way", at: at.result, ...dies, ends: ["live"] },
  {
    name: "the agent dies before it receives the answer to its result",
    at: at.resultTaken,
    ...dies,
    ends: ["live"],
  },
  {
    name: "the agent dies in a rollback's activate command",
    prepare: deployNext,
    doing: rollingBack,
    at: at.gate("activate"),
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent dies in the activate command of the first deployment",
    isFirst: true,
    at: at.gate("activate"),
    ...dies,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent dies while it removes an old release",
    settings: () => ({ keep_releases: 2 }),
    prepare: deployManyFiles,
    commit: manyFiles,
    at: at.prune,
    ...dies,
    ends: ["live"],
  },
  {
    name: "the agent dies before it removes a project that has moved",
    doing: moving,
    at: at.removeProject,
    ...dies,
    ends: ["live"],
  },
  {
    name: "the agent dies before it purges a project",
    doing: purging,
    at: at.removeProject,
    ...dies,
    ends: [],
  },
  {
    name: "the agent dies before it reports that a project is purged",
    doing: purging,
    at: at.projectRemoved,
    ...dies,
    ends: [],
  },
  {
    name: "the agent is away for longer than a start may wait",
    settings: () => ({ timeouts: { queue_seconds: 1 } }),
    at: at.startRequest,
    fault: faults.agentGoesAway,
    recover: comesTooLate,
    ends: ["failed"],
    check: isOffline,
  },
  {
    name: "the agent exits in the fetch",
    at: at.gate("fetch"),
    ...isEnded,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the agent exits in the build",
    at: at.gate("build"),
    ...isEnded,
    ends: ["failed"],
    check: isLost,
  },
  { name: "the agent exits with its result on its way", at: at.result, ...isEnded, ends: ["live"] },
  { name: "the agent hangs in the build", at: at.gate("build"), fault: agentHangs, ends: ["live"] },
  {
    name: "the agent is away when a deployment is started",
    at: at.startRequest,
    fault: faults.agentGoesAway,
    recover: comesLate,
    ends: ["live"],
  },
  {
    name: "a second agent takes the credential in the build",
    at: at.gate("build"),
    fault: secondAgentTakesOver,
    recover: restartAgent,
    ends: ["failed"],
    check: isLost,
  },
  {
    name: "the credential is replaced in the build",
    at: at.gate("build"),
    fault: credentialIsReplaced,
    recover: restartAgent,
    ends: ["failed"],
    check: isLost,
  },
];
