import { setTimeout as pause } from "node:timers/promises";

import { RESEND_MS } from "#domain/lane/deadlines.ts";

import { deployNext } from "./deploy-next.ts";
import { rollingBack } from "./doings.ts";
import { at } from "./moments.ts";
import type { Fault, FaultPoint, Scene } from "./point.ts";
import { releasedOnce, withReleaseCommand } from "./released-once.ts";

async function newest({ installation, site }: Scene): Promise<string> {
  const [deployment] = await installation.api.listDeployments(site.projectId);
  return deployment?.id ?? "";
}

const isAnswered = (status: number | null, wanted: number): void => {
  if (status !== wanted) throw new Error(`it was answered with ${status}, not ${wanted}`);
};

const cancelIsAnswered =
  (wanted: number): Fault =>
  async (scene) =>
    isAnswered(await scene.installation.requests.cancel(await newest(scene)), wanted);

const deletionIsAnswered =
  (wanted: number): Fault =>
  async (scene) => {
    const { requests } = scene.installation;
    isAnswered(await requests.deleteDeployment(scene.site.projectId, await newest(scene)), wanted);
  };

const projectDeletionIsRefused: Fault = async ({ installation, site }) =>
  isAnswered(await installation.requests.deleteProject(site.projectId, true), 409);

/** Cuts the agent off after it has its order, until the lane has sent the order again. */
const cutOffWhile =
  (request: Fault): Fault =>
  async (scene) => {
    const { link } = scene.host;
    await link.refuse();
    await pause(RESEND_MS + 3_000);
    await request(scene);
    const welcome = scene.host.welcomed();
    await link.open();
    await welcome;
    return "drop";
  };

/** Client requests arrive just before, and just after, a deployment can no longer be stopped. */
export const racePoints: readonly FaultPoint[] = [
  {
    name: "a cancelation arrives before the request for the permit",
    at: at.ready,
    fault: cancelIsAnswered(200),
    ends: ["canceled"],
  },
  {
    name: "a cancelation arrives after the permit",
    at: at.permit,
    fault: cancelIsAnswered(409),
    ends: ["live"],
  },
  {
    name: "a cancelation arrives in the release command",
    settings: withReleaseCommand,
    at: at.gate("release"),
    fault: cancelIsAnswered(409),
    ends: ["live"],
    check: releasedOnce,
  },
  {
    name: "a cancelation arrives while the order is on its way",
    at: at.order,
    fault: cancelIsAnswered(200),
    ends: ["canceled"],
  },
  {
    name: "a deletion arrives before the request for the permit",
    at: at.ready,
    fault: deletionIsAnswered(204),
    ends: ["gone"],
  },
  {
    name: "a deletion arrives after the permit",
    at: at.permit,
    fault: deletionIsAnswered(409),
    ends: ["live"],
  },
  {
    name: "a rollback is canceled while its agent, which has the permit, is cut off",
    prepare: deployNext,
    doing: rollingBack,
    at: at.activateReported,
    fault: cutOffWhile(cancelIsAnswered(409)),
    ends: ["live"],
  },
  {
    name: "a rollback is deleted while its agent, which has the permit, is cut off",
    prepare: deployNext,
    doing: rollingBack,
    at: at.activateReported,
    fault: cutOffWhile(deletionIsAnswered(409)),
    ends: ["live"],
  },
  {
    name: "the project's deletion is requested in the build",
    at: at.gate("build"),
    fault: projectDeletionIsRefused,
    ends: ["live"],
  },
];
