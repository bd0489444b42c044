import { join } from "node:path";

import type { System } from "../test/support/journey-system.ts";
import { median, type Row, time } from "./measure.ts";
import { peers } from "./peers.ts";
import { createSiteProject, FILES } from "./site-project.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 10;
/** Rounds that are not counted, because they fill caches on both sides. */
const WARM_UP = 2;

/** Measures a deployment without a build against the same with other tools, if they are installed. */
export async function measurePeers(system: System, home: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [at, peer] of peers.entries()) {
    const site = await createSiteProject(system, home, `peer-${at}`);
    const opened = await peer.open(join(home, `peer-${at}`), site.repository.path);
    if (opened === null) {
      console.log(`  skipped: ${peer.name} is not installed here. To install it: ${peer.install}`);
      continue;
    }
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      await site.change(round);
      const byPeer = await time(() => opened.deploy());
      const byGantry = await untilLive(system, site.start);
      if (round < 0) continue;
      theirs.push(byPeer);
      ours.push(byGantry);
    }
    const [deploy, floor] = [median(ours), median(theirs)];
    rows.push({
      what: `POST to live, ${FILES} files, no build`,
      measured: `${deploy.toFixed(1)} ms`,
      against: `${floor.toFixed(1)} ms  ${peer.name}, the same site`,
      ratio: `${(deploy / floor).toFixed(2)}×`,
      goal: "< 1×",
      isMet: deploy < floor,
    });
  }
  return rows;
}
