import { afterAll, beforeAll, describe, it } from "vitest";

import type { Host } from "../support/faults/host.ts";
import { createInstallation, type Installation } from "../support/faults/installation.ts";
import { agentPoints } from "../support/faults/points/agent-points.ts";
import { abandon, carryOut, openScene } from "../support/faults/points/carry-out.ts";
import { commandPoints } from "../support/faults/points/command-points.ts";
import { networkPoints } from "../support/faults/points/network-points.ts";
import type { FaultPoint } from "../support/faults/points/point.ts";
import { racePoints } from "../support/faults/points/race-points.ts";
import { workerPoints } from "../support/faults/points/worker-points.ts";
import { removeHome } from "../support/journey-system.ts";

let installation: Installation;
let host: Host;
let sites = 0;

beforeAll(async () => {
  installation = await createInstallation();
  host = await installation.addHost("alpha");
}, 60_000);
afterAll(async () => {
  await installation.stop();
  await removeHome(installation.home);
}, 60_000);

const allPoints = [...networkPoints, ...workerPoints, ...agentPoints, ...commandPoints, ...racePoints];

describe("every promise is kept when", () => {
  it.each(allPoints)("$name", async (point: FaultPoint) => {
    sites += 1;
    const scene = await openScene(installation, host, `site-${sites}`, point.settings?.(installation));
    try {
      await carryOut(point, scene);
    } finally {
      await abandon(scene);
    }
  });
});
