import { eventually } from "../eventually.ts";
import { emptyDisk, fillDisk } from "../fill-disk.ts";
import { at } from "./moments.ts";
import type { Fault, FaultPoint, Scene } from "./point.ts";

const diskIsFull: Fault = ({ host }) => fillDisk(host);

/** Empties the disk only after the deployment has ended, so that the fault lasts long enough. */
const diskHasRoomAfterwards = async ({ installation, host, site }: Scene): Promise<void> => {
  await eventually("the deployment has ended", async () => {
    const [newest] = await installation.api.listDeployments(site.projectId);
    return newest?.status !== "building";
  });
  await emptyDisk(host);
};

const writesMuch = { build: "head -c 3000000 /dev/zero > big" };

/** The disk of the agent's home is full, and has free space again once the deployment has ended. */
export const diskPoints: readonly FaultPoint[] = [
  {
    name: "the disk is full in the fetch",
    at: at.gate("fetch"),
    fault: diskIsFull,
    recover: diskHasRoomAfterwards,
    ends: ["failed"],
  },
  {
    name: "the disk is full in the build",
    commit: writesMuch,
    at: at.gate("build"),
    fault: diskIsFull,
    recover: diskHasRoomAfterwards,
    ends: ["failed"],
  },
  {
    name: "the disk is full in the activate command",
    at: at.gate("activate"),
    fault: diskIsFull,
    recover: diskHasRoomAfterwards,
    ends: ["live", "failed"],
  },
];
