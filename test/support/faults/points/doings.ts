import type { GateName } from "../gate.ts";
import { type StartEnd, startedOf } from "../requests.ts";
import type { Doing, Scene } from "./point.ts";

export const deploying: Doing = ({ installation, site }) => installation.requests.start(site.projectId);

export const rollingBack: Doing = ({ installation, site }) => installation.requests.rollBack(site.projectId);

/** Deploys, and cancels that once its command stands at a gate. */
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

/** Two starts and a rollback at the same moment. @returns the first start */
export const everythingAtOnce: Doing = async ({ installation, site }) => {
  const { requests } = installation;
  const [first] = await Promise.all([
    requests.start(site.projectId),
    requests.start(site.projectId),
    requests.rollBack(site.projectId),
  ]);
  return first;
};
