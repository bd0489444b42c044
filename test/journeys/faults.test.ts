import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Host } from "../support/faults/host.ts";
import { createInstallation, type Installation } from "../support/faults/installation.ts";
import { systemViolations } from "../support/faults/invariants/check.ts";
import { agentPoints } from "../support/faults/points/agent-points.ts";
import { abandon, carryOut, openScene } from "../support/faults/points/carry-out.ts";
import { commandPoints } from "../support/faults/points/command-points.ts";
import { diskPoints } from "../support/faults/points/disk-points.ts";
import { networkPoints } from "../support/faults/points/network-points.ts";
import type { FaultPoint } from "../support/faults/points/point.ts";
import { racePoints } from "../support/faults/points/race-points.ts";
import { workerPoints } from "../support/faults/points/worker-points.ts";
import type { Site } from "../support/faults/site.ts";
import { removeHome } from "../support/journey-system.ts";

/** Only root may mount a disk of its own. */
const mayMount = process.getuid?.() === 0;
const DISK_MEGABYTES = 32;

let installation: Installation;
let host: Host;
let otherHost: Host;
const sites: Site[] = [];

beforeAll(async () => {
  installation = await createInstallation();
  host = await installation.addHost("alpha");
  otherHost = await installation.addHost("beta", mayMount ? DISK_MEGABYTES : undefined);
}, 60_000);
afterAll(async () => {
  await installation.stop();
  await removeHome(installation.home);
}, 60_000);

async function letHappen(point: FaultPoint, where: Host): Promise<void> {
  const scene = await openScene(installation, where, `site-${sites.length + 1}`, point);
  sites.push(scene.site);
  try {
    await carryOut(point, scene);
  } finally {
    await abandon(scene);
  }
}

const points = [...networkPoints, ...workerPoints, ...agentPoints, ...commandPoints, ...racePoints];

// By hand, because `each` cuts long names off.
describe("every promise is kept when", () => {
  for (const point of points) it(point.name, () => letHappen(point, host));
  for (const point of diskPoints) it.skipIf(!mayMount)(point.name, () => letHappen(point, otherHost));
});

describe("after all of it", () => {
  it("nothing is left that is not needed any more, in R2, in the lanes and on the servers", async () => {
    await expect.poll(() => systemViolations(installation, sites), { timeout: 30_000 }).toEqual([]);
  });
});
