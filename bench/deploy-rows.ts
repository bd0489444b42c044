import { join } from "node:path";

import type { System } from "../test/support/journey-system.ts";
import { median, type Row, time } from "./measure.ts";
import { createShellDeployer } from "./shell-floor.ts";
import { createSiteProject, FILES } from "./site-project.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 25;
/** Rounds that are not counted, because they fill caches on both sides. */
const WARM_UP = 3;

// On an idle machine.
const DEPLOY_RATIO_GOAL = 1.6;
const ROLLBACK_GOAL_MS = 40;

/** Measures a deployment without a build, and a rollback, against the same git commands in a shell. */
export async function measureDeploys(system: System, home: string): Promise<Row[]> {
  const site = await createSiteProject(system, home, "bench");
  const shell = await createShellDeployer(join(home, "bench-shell"));

  const times = { shell: [] as number[], deploy: [] as number[], rollback: [] as number[] };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    await site.change(round);
    const byShell = await time(() => shell.deploy(site.repository.path));
    const deploy = await untilLive(system, site.start);
    const rollback = round === -WARM_UP ? 0 : await untilLive(system, site.rollBack);
    if (round < 0) continue;
    times.shell.push(byShell);
    times.deploy.push(deploy);
    times.rollback.push(rollback);
  }

  const [floor, deploy, rollback] = [median(times.shell), median(times.deploy), median(times.rollback)];
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const ratio = (value: number) => `${(value / floor).toFixed(2)}×`;
  return [
    {
      what: `POST to live, ${FILES} files, no build`,
      measured: ms(deploy),
      against: `${ms(floor)}  the same in a shell`,
      ratio: ratio(deploy),
      goal: `≤ ${DEPLOY_RATIO_GOAL}×`,
      isMet: deploy / floor <= DEPLOY_RATIO_GOAL,
    },
    {
      what: "rollback, POST to live",
      measured: ms(rollback),
      against: `${ms(floor)}  a deploy in a shell`,
      ratio: ratio(rollback),
      goal: `≤ ${ROLLBACK_GOAL_MS} ms`,
      isMet: rollback <= ROLLBACK_GOAL_MS,
    },
  ];
}
