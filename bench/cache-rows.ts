import { join } from "node:path";

import { createEleventySite } from "../test/support/eleventy-site.ts";
import type { System } from "../test/support/journey-system.ts";
import { median, type Row } from "./measure.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 5;
const SECOND_RATIO_GOAL = 0.55;

/**
 * Measures deployments of an Eleventy site with npm's packages: a deployment that installs everything, and a deployment
 * with an unchanged lock file. The first deployment of all is not counted in either, because it fills npm's own cache.
 */
export async function measureCache(system: System, home: string): Promise<Row[]> {
  const repository = await createEleventySite(join(home, "bench-blog"), "3.1.2");
  const project = await system.api.createProject({
    name: "bench-blog",
    server_id: system.local.server_id,
    repository: repository.path,
  });
  const first = await untilLive(system, () => system.api.start(project.id));
  const times = { cleared: [] as number[], second: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await repository.commit({ "index.md": `# Round ${round}\n` });
    times.cleared.push(await untilLive(system, () => system.api.start(project.id, { clear_cache: true })));
    await repository.commit({ "index.md": `# Round ${round}, changed\n` });
    times.second.push(await untilLive(system, () => system.api.start(project.id)));
  }
  const [cleared, second] = [median(times.cleared), median(times.second)];
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const ratio = second / cleared;
  return [
    {
      what: "Eleventy site, second deployment with an unchanged lock file",
      measured: seconds(second),
      against: `${seconds(cleared)}  with a cleared cache; ${seconds(first)}  the first`,
      ratio: `${ratio.toFixed(2)}×`,
      goal: `≤ ${SECOND_RATIO_GOAL}×`,
      isMet: ratio <= SECOND_RATIO_GOAL,
    },
  ];
}
