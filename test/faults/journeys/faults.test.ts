import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Host } from "../../support/faults/host.ts";
import { createInstallation, type Installation } from "../../support/faults/installation.ts";
import { systemViolations } from "../../support/faults/invariants/check.ts";
import { allPoints } from "../../support/faults/points/all-points.ts";
import { abandon, carryOut, openScene } from "../../support/faults/points/carry-out.ts";
import { diskPoints } from "../../support/faults/points/disk-points.ts";
import type { FaultPoint } from "../../support/faults/points/point.ts";
import type { Site } from "../../support/faults/site.ts";
import { sampleOf } from "../../support/sample.ts";
import { removeHome } from "../../support/journey-system.ts";

/** Only root may mount a disk of its own. */
const mayMount = process.getuid?.() === 0;
const DISK_MEGABYTES = 32;
/** A fault point mostly waits, so three systems fit on two cores. Each system runs one point at a time. */
const SYSTEMS = 3;
/** Each run takes one of so many points, and other ones each day. */
const SHARE = 4;

type System = {
  readonly installation: Installation;
  readonly host: Host;
  /** A second server, with its home on a small disk. */
  readonly smallHost: Host;
  readonly sites: Site[];
};

const systems: System[] = [];
const free: System[] = [];
const waiting: ((system: System) => void)[] = [];

async function createSystem(): Promise<System> {
  const installation = await createInstallation();
  const host = await installation.addServer("alpha");
  const smallHost = await installation.addServer("beta", mayMount ? DISK_MEGABYTES : undefined);
  return { installation, host, smallHost, sites: [] };
}

beforeAll(async () => {
  // The first system builds the Worker for all of them.
  systems.push(await createSystem());
  systems.push(...(await Promise.all(Array.from({ length: SYSTEMS - 1 }, createSystem))));
  free.push(...systems);
});
afterAll(async () => {
  await Promise.all(systems.map(({ installation }) => installation.stop()));
  for (const { installation } of systems) await removeHome(installation.home);
});

async function claimSystem(): Promise<System> {
  return free.pop() ?? new Promise((resolve) => waiting.push(resolve));
}

function returnSystem(system: System): void {
  const next = waiting.shift();
  if (next === undefined) free.push(system);
  else next(system);
}

async function runPoint(point: FaultPoint, pickHost: (system: System) => Host): Promise<void> {
  const system = await claimSystem();
  const { installation, sites } = system;
  try {
    const scene = await openScene(installation, pickHost(system), `site-${sites.length + 1}`, point);
    sites.push(scene.site);
    try {
      await carryOut(point, scene);
    } finally {
      await abandon(scene);
    }
  } finally {
    returnSystem(system);
  }
}

// A loop, because `each` truncates long names.
describe.concurrent("every promise is kept when", () => {
  for (const point of sampleOf(allPoints, SHARE)) it(point.name, () => runPoint(point, ({ host }) => host));
  for (const point of sampleOf(diskPoints, SHARE))
    it.skipIf(!mayMount)(point.name, () => runPoint(point, ({ smallHost }) => smallHost));
});

describe("after all fault points", () => {
  it("no leftovers are in R2, in the lanes and on the servers", async () => {
    for (const { installation, sites } of systems)
      await expect.poll(() => systemViolations(installation, sites)).toEqual([]);
  });
});
