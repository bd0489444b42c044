import { afterAll, beforeAll, describe, it } from "vitest";

import type { Host } from "../support/faults/host.ts";
import { createInstallation, type Installation } from "../support/faults/installation.ts";
import { carryOut, openScene } from "../support/faults/points/carry-out.ts";
import { firstPoints } from "../support/faults/points/first.ts";
import { removeHome } from "../support/journey-system.ts";

let installation: Installation;
let host: Host;

beforeAll(async () => {
  installation = await createInstallation();
  host = await installation.addHost("alpha");
}, 60_000);
afterAll(async () => {
  await installation.stop();
  await removeHome(installation.home);
}, 60_000);

describe("everything holds when", () => {
  it.each(firstPoints.map((point, index) => ({ ...point, index })))("$name", async (point) => {
    const scene = await openScene(installation, host, `site-${point.index}`, point.settings);
    await carryOut(point, scene);
  });
});
