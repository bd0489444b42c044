import { at } from "./moments.ts";
import type { Fault, FaultPoint, Scene } from "./point.ts";

async function newest({ installation, site }: Scene): Promise<string> {
  const [deployment] = await installation.api.listDeployments(site.projectId);
  return deployment?.id ?? "";
}

const isAnswered = (status: number | null, wanted: number): void => {
  if (status !== wanted) throw new Error(`it is answered with ${status}, and not ${wanted}`);
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

/** What clients ask for meets a deployment just before, and just after, it may not be stopped any more. */
export const racePoints: readonly FaultPoint[] = [
  {
    name: "a cancelation overtakes the request for the permit",
    at: at.ready,
    fault: cancelIsAnswered(200),
    ends: ["canceled"],
  },
  {
    name: "a cancelation comes after the permit",
    at: at.permit,
    fault: cancelIsAnswered(409),
    ends: ["live"],
  },
  { name: "a cancelation meets the order", at: at.order, fault: cancelIsAnswered(200), ends: ["canceled"] },
  {
    name: "a deletion overtakes the request for the permit",
    at: at.ready,
    fault: deletionIsAnswered(204),
    ends: ["gone"],
  },
  {
    name: "a deletion comes after the permit",
    at: at.permit,
    fault: deletionIsAnswered(409),
    ends: ["live"],
  },
  {
    name: "the project is to be deleted in the build",
    at: at.gate("build"),
    fault: projectDeletionIsRefused,
    ends: ["live"],
  },
];
