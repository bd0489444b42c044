// Compares medians as ratios, measured in turns in one run, because absolute times depend on the machine.
import { join } from "node:path";

import * as z from "zod";

import { flag, runScript } from "../scripts/shared/script.ts";
import { createRepository } from "../test/support/journey-repository.ts";
import {
  createHome,
  freePorts,
  removeHome,
  startSystem,
  type System,
} from "../test/support/journey-system.ts";
import { measureIdleAgent } from "./agent-rows.ts";
import { measureApp } from "./app-rows.ts";
import { measureCache } from "./cache-rows.ts";
import { measureScrolling } from "./dashboard-rows.ts";
import { measureFlood, measureLogLatency } from "./log-rows.ts";
import { formatTable, median, type Row, time } from "./measure.ts";
import { measureReads } from "./read-rows.ts";
import { measurePages } from "./page-rows.ts";
import { createShellDeployer } from "./shell-floor.ts";
import { measureStartup } from "./startup-rows.ts";
import { measureWebhooks } from "./webhook-rows.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 25;
/** Rounds that are not counted, because they fill caches on both sides. */
const WARM_UP = 3;

const DEPLOY_RATIO_GOAL = 10;
const ROLLBACK_RATIO_GOAL = 10;
const ROLLBACK_GOAL_MS = 100;

async function measure(system: System, home: string): Promise<Row[]> {
  const repository = await createRepository(join(home, "bench-site"));
  await repository.commit({ "index.html": "first", "style.css": "body {}", "about.html": "about" });
  const project = await system.api.createProject({
    name: "bench",
    server_id: system.local.server_id,
    repository: repository.path,
  });
  const shell = await createShellDeployer(join(home, "bench-shell"));

  const times = { shell: [] as number[], deploy: [] as number[], rollback: [] as number[] };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    await repository.commit({ "index.html": `round ${round}` });
    const byShell = await time(() => shell.deploy(repository.path));
    const deploy = await untilLive(system, () => system.api.start(project.id));
    const rollback = round === -WARM_UP ? 0 : await untilLive(system, () => system.api.rollBack(project.id));
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
      what: "POST to live, small repository, no build",
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
      goal: `≤ ${ROLLBACK_RATIO_GOAL}× and ≤ ${ROLLBACK_GOAL_MS} ms`,
      isMet: rollback / floor <= ROLLBACK_RATIO_GOAL && rollback <= ROLLBACK_GOAL_MS,
    },
  ];
}

const options = z.object({ reads: flag("measure only the requests that read") });

async function runBench({ reads }: z.output<typeof options>): Promise<void> {
  const home = await createHome();
  try {
    console.log("Reading, with 16 callers at once");
    const readRows = await measureReads(home);
    if (reads) {
      console.log(`\n${formatTable(readRows)}`);
      return;
    }
    console.log(`Starting an installation in ${home}`);
    const inspectorPort = await freePorts();
    const system = await startSystem(home, { flags: ["--inspect", `${inspectorPort}`] });
    try {
      console.log("Waiting for an idle agent");
      const rows = [...readRows, ...(await measureIdleAgent(system))];
      console.log(`Measuring ${ROUNDS} rounds, medians`);
      rows.push(...(await measure(system, home)));
      console.log("Switching an app");
      rows.push(...(await measureApp(system, home)));
      console.log("Installing npm's packages");
      rows.push(...(await measureCache(system, home)));
      console.log("Following logs");
      rows.push(await measureLogLatency(system, home), await measureFlood(system, home, inspectorPort));
      console.log("Sending events to webhooks");
      rows.push(...(await measureWebhooks(system, home)));
      console.log("Starting the Worker");
      rows.push(...(await measureStartup(home)));
      console.log("Reading pages of a long history");
      rows.push(...(await measurePages(system)));
      console.log("Scrolling the dashboard");
      rows.push(...(await measureScrolling(system, home)));
      console.log(`\n${formatTable(rows)}`);
    } finally {
      await system.interrupt();
    }
  } finally {
    await removeHome(home);
  }
}

await runScript(
  {
    usage: "npm run bench -- [options]",
    summary:
      "Measures reads against a Worker with one D1 read, deployments and rollbacks against the same git commands in a shell, then logs, webhooks, the start of the Worker and the dashboard.",
    options,
  },
  runBench,
);
