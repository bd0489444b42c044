import type { GateName } from "../gate.ts";
import { type StartEnd, startedOf } from "../requests.ts";
import type { Doing, Scene } from "./point.ts";

export const deploying: Doing = ({ installation, site }) => installation.requests.start(site.projectId);

export const restarting: Doing = ({ installation, site }) =>
  installation.requests.configure(site.projectId, "/processes/web/restart");

export const rollingBack: Doing = ({ installation, site }) => installation.requests.rollBack(site.projectId);

/** Starts a deployment, and cancels it once its command waits at a gate. */
export const canceling =
  (gate: GateName): Doing =>
  async (scene) => {
    const started = await startAtGate(scene, gate);
    await scene.installation.requests.cancel(startedOf(started).id);
    return started;
  };

async function startAtGate({ installation, site }: Scene, gate: GateName): Promise<StartEnd> {
  await site.source.gate.hold(gate);
  const started = await installation.requests.start(site.projectId);
  await site.source.gate.reached(gate);
  return started;
}

/** Moves the project to another server, and deploys it there. */
export const moving: Doing = async (scene) => {
  const { installation, host, site } = scene;
  const other = installation.hosts.find((one) => one !== host);
  if (other === undefined) throw new Error("there is no other server");
  // The old address ends some time after the new one begins.
  await site.visitor?.leave();
  site.visitor = null;
  site.host = other;
  const change = { server_id: other.serverId };
  await installation.requests.send("PATCH", `/v1/projects/${site.projectId}`, change);
  return installation.requests.start(site.projectId);
};

/** Deletes the project with all its files. */
export const purging: Doing = async ({ installation, site }) => {
  await site.visitor?.leave();
  site.visitor = null;
  const status = await installation.requests.deleteProject(site.projectId, true);
  // A retry after a lost answer gets a 404.
  if (status !== 204 && status !== 404) throw new Error(`the deletion was answered with ${status}`);
  site.deletion = "purged";
  return "nothing started";
};

/** Sends two starts and a rollback at the same moment. @returns the first start */
export const everythingAtOnce: Doing = async ({ installation, site }) => {
  const { requests } = installation;
  const [first] = await Promise.all([
    requests.start(site.projectId),
    requests.start(site.projectId),
    requests.rollBack(site.projectId),
  ]);
  return first;
};
