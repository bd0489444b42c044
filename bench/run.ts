// Compares medians as ratios, measured in turns in one run, because absolute times depend on the machine.
import * as z from "zod";

import { option, runScript } from "../scripts/shared/script.ts";
import { freePort } from "../test/support/free-port.ts";
import { createHome, removeHome, startSystem, type System } from "../test/support/journey-system.ts";
import { measureIdleAgent } from "./agent-rows.ts";
import { measureApp } from "./app-rows.ts";
import { measureBuilds } from "./build-rows.ts";
import { measureCache } from "./cache-rows.ts";
import { measureContainers } from "./container-rows.ts";
import { measureDashboard } from "./dashboard-rows.ts";
import { measureDeploys } from "./deploy-rows.ts";
import { measureFleet } from "./fleet-rows.ts";
import { measureInstances } from "./instance-rows.ts";
import { measureFlood, measureLogLatency } from "./log-rows.ts";
import { formatTable, type Row } from "./measure.ts";
import { measurePages } from "./page-rows.ts";
import { measurePeers } from "./peer-rows.ts";
import { peers } from "./peers.ts";
import { measureReads } from "./read-rows.ts";
import { measureHistory } from "./history-rows.ts";
import { measureStartup } from "./startup-rows.ts";
import { measureWebhooks } from "./webhook-rows.ts";

type Bench = { readonly system: System; readonly home: string; readonly inspectorPort: number };

/** What can be measured in a running installation, in this order: the idle agent comes before it has run anything. */
const parts: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = {
  agent: ({ system }) => measureIdleAgent(system),
  deploys: ({ system, home }) => measureDeploys(system, home),
  fleet: ({ system, home }) => measureFleet(system, home),
  peers: ({ system, home }) => measurePeers(system, home),
  apps: ({ system, home }) => measureApp(system, home),
  instances: ({ system, home }) => measureInstances(system, home),
  containers: ({ system }) => measureContainers(system),
  cache: ({ system, home }) => measureCache(system, home),
  logs: async ({ system, home, inspectorPort }) => [
    await measureLogLatency(system, home),
    await measureFlood(system, home, inspectorPort),
  ],
  webhooks: ({ system, home }) => measureWebhooks(system, home),
  startup: ({ home }) => measureStartup(home),
  pages: ({ system }) => measurePages(system),
  dashboard: ({ system, home }) => measureDashboard(system, home),
};
/** Measured without an installation, because they start runtimes of their own. */
const READS = "reads";
const HISTORY = "history";
const BUILDS = "builds";

const names = [READS, HISTORY, BUILDS, ...Object.keys(parts)];
const LEAST_EVENTS = 2_000_000;
const howToInstall = peers.map(({ name, install }) => `${name}: ${install}`).join("\n");
const isName = (name: string) => names.includes(name);
const options = z.object({
  only: option(
    "NAMES",
    `measure these parts only, separated by commas:\n${names.join(", ")}\npeers needs other tools, and skips tools that are not installed:\n${howToInstall}`,
    z
      .string()
      .transform((text) => text.split(","))
      .refine((chosen) => chosen.every(isName), { error: "must be names of parts" })
      .default(names),
  ),
  events: option(
    "NUMBER",
    `how many events the part ${HISTORY} has. 1 GB for each million`,
    z.coerce.number().int().min(LEAST_EVENTS).multipleOf(1_000).default(LEAST_EVENTS),
  ),
});

async function runBench({ only, events }: z.output<typeof options>): Promise<void> {
  const home = await createHome();
  try {
    const rows: Row[] = [];
    const chosen = Object.entries(parts).filter(([name]) => only.includes(name));
    if (only.includes(READS)) rows.push(...(await measure(READS, () => measureReads(home))));
    if (only.includes(HISTORY)) rows.push(...(await measure(HISTORY, () => measureHistory(home, events))));
    if (only.includes(BUILDS)) rows.push(...(await measure(BUILDS, measureBuilds)));
    if (chosen.length > 0) rows.push(...(await measureInstallation(home, chosen)));
    console.log(`\n${formatTable(rows)}`);
  } finally {
    await removeHome(home);
  }
}

async function measureInstallation(
  home: string,
  chosen: readonly [string, (bench: Bench) => Promise<Row[]>][],
): Promise<Row[]> {
  console.log(`Starting an installation in ${home}`);
  const inspectorPort = await freePort();
  const system = await startSystem(home, { flags: ["--inspect", `${inspectorPort}`] });
  try {
    const rows: Row[] = [];
    for (const [name, work] of chosen)
      rows.push(...(await measure(name, () => work({ system, home, inspectorPort }))));
    return rows;
  } finally {
    await system.interrupt();
  }
}

/** Prints the rows at once, too: a later part may take minutes or fail. */
async function measure(name: string, work: () => Promise<Row[]>): Promise<Row[]> {
  console.log(`Measuring ${name}`);
  const rows = await work();
  for (const { what, measured, against, ratio } of rows)
    console.log(`  ${what}: ${measured} against ${against}, ${ratio}`);
  return rows;
}

await runScript(
  {
    usage: "npm run bench -- [options]",
    summary: `Measures Gantry and, in the same run, a simpler way to do the same work. Prints both with their ratio.

The parts are: reads (against a Worker with one D1 read), history (reads of a long history against a short one), builds
(passed from one server to another, against the commands that made them), agent (the idle agent), deploys (deployments
and rollbacks, against the same git commands in a shell), fleet (deployments and rollbacks on several servers, against
one), peers (deployments with other tools), apps, instances (a switch of an app's instances), containers
(against buildah and processes, as root), cache (kept dependencies), logs, webhooks, startup (the start of the Worker), pages (of a long history) and dashboard.`,
    options,
  },
  runBench,
);
