// `npm run soak -- --deployments 1000 --projects 20 --servers 5` runs many deployments without faults, in sequence in
// each project, and samples what must not grow.
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod";

import { option, readOptions, wholeNumber } from "../../scripts/shared/script.ts";
import { createInstallation } from "../support/faults/installation.ts";
import { createSite, type Site } from "../support/faults/site.ts";
import { freePort } from "../support/free-port.ts";
import { takeSample, type Sample } from "./sample.ts";
import { growthOf, renderSamples } from "./growth.ts";

const atLeastOne = (value: number) => wholeNumber(1, 100_000).default(value);
const options = readOptions({
  usage: "npm run soak -- [options]",
  summary:
    "Runs many deployments without faults, and measures memory, files and rows.\nExits with code 1 if one of them grows that must not.",
  options: z.object({
    deployments: option("N", "the number of deployments, 1000 by default", atLeastOne(1000)),
    projects: option("N", "the number of projects, 20 by default", atLeastOne(20)),
    servers: option("N", "the number of servers, 5 by default", atLeastOne(5)),
  }),
});
const { deployments: wanted, projects, servers } = options;
/** One in this many deployments of a project is a rollback. */
const ROLLBACK_EVERY = 5;
const SAMPLES = 10;
const SETTLE_MS = 3_000;

const log = (text: string): void => void process.stdout.write(`${text}\n`);
const ending = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => ending.abort());

const inspectorPort = await freePort();
const installation = await createInstallation({ inspectorPort });
log(`${wanted} deployments of ${projects} projects on ${servers} servers; home ${installation.home}`);
for (let index = 1; index <= servers; index += 1) await installation.addServer(`server-${index}`);
const sites: Site[] = [];
for (let index = 0; index < projects; index += 1) {
  const host = installation.hosts[index % servers];
  if (host !== undefined) sites.push(await createSite(installation, host, `site-${index + 1}`));
}

const outcomes = new Map<string, number>();
async function deployOnce({ projectId, source }: Site, turn: number): Promise<void> {
  const isRollback = turn > ROLLBACK_EVERY && turn % ROLLBACK_EVERY === 0;
  if (!isRollback) await source.commit();
  const { id } = await (isRollback
    ? installation.api.rollBack(projectId)
    : installation.api.start(projectId));
  const { status } = await installation.api.ended(id, 120_000);
  outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
}

const rounds = Math.ceil(wanted / sites.length);
const samples: Sample[] = [];
let done = 0;
for (let round = 1; round <= rounds && !ending.signal.aborted; round += 1) {
  await Promise.all(sites.map((site) => deployOnce(site, round)));
  done += sites.length;
  if (round % Math.ceil(rounds / SAMPLES) !== 0 && round !== rounds) continue;
  // Logs are joined and presence is written a moment after the last deployment has ended.
  await pause(SETTLE_MS);
  const sample = await takeSample(installation, inspectorPort, done);
  samples.push(sample);
  log(JSON.stringify(sample));
}

const growth = growthOf(samples, sites.length);
log(
  `\n${renderSamples(samples)}\n\n${[...outcomes].map(([status, count]) => `${count} ${status}`).join(", ")}`,
);
for (const problem of growth) log(`GROWTH: ${problem}`);
await installation.stop();
await rm(installation.home, { recursive: true, force: true });
process.exit(growth.length === 0 ? 0 : 1);
