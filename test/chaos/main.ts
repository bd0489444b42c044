import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { option, readOptions, wholeNumber } from "../../scripts/shared/script.ts";
import { createInstallation } from "../support/faults/installation.ts";
import { deployNext } from "../support/faults/points/deploy-next.ts";
import type { Host } from "../support/faults/host.ts";
import { sendVisitor } from "../support/faults/site.ts";
import { createChance } from "./chance.ts";
import { type Chaos, endVisits } from "./chaos.ts";
import { createFleets, openSite } from "./fleets.ts";
import { check, countLeft, recoverAll, tidyUp, causeFaults } from "./rounds.ts";
import { createTally } from "./tally.ts";

const options = readOptions({
  usage: "npm run chaos -- [options]",
  summary:
    "Causes random faults in a whole installation, and checks after each round that it keeps its promises.\nExits with code 1 on a violation, and keeps the installation's folder.",
  options: z.object({
    minutes: option("N", "how long to run, 10 by default", wholeNumber(1, 10_000).default(10)),
    servers: option(
      "N",
      "how many servers each project has, 1 by default; with several, fewer projects",
      wholeNumber(1, 5).default(1),
    ),
    seed: option(
      "N",
      "the seed that selects the faults; random by default, and printed first",
      wholeNumber(0, Number.MAX_SAFE_INTEGER).default(() => Math.floor(Math.random() * 1_000_000)),
    ),
  }),
});
const { seed } = options;
const endsAt = Date.now() + options.minutes * 60_000;
const HOSTS = ["alpha", "beta", "gamma", "delta", "epsilon"];
/** The server whose disk is small. */
const DISK_HOST = "beta";
const SITES = options.servers === 1 ? ["red", "green", "blue", "grey"] : ["red", "green"];
/** The projects that are apps with processes, one on each server. */
const APPS: readonly string[] = ["green", "blue"];
/** The disk has room for the releases and mirrors of all sites, and little more. */
const DISK_MEGABYTES = 96;

const startedAt = performance.now();
const log = (step: string): void => {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2).padStart(9);
  process.stdout.write(`${seconds}  ${step}\n`);
};
log(`seed ${seed}`);

const ending = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => ending.abort());

const installation = await createInstallation({ onCrash: (how) => log(`  the Worker ended: ${how}`) });
log(`home ${installation.home}`);
// Only root may mount a disk.
const diskMegabytes = process.getuid?.() === 0 ? DISK_MEGABYTES : undefined;
const hosts: Host[] = [];
for (const name of HOSTS.slice(0, Math.max(2, options.servers)))
  hosts.push(await installation.addServer(name, name === DISK_HOST ? diskMegabytes : undefined));
const chaos: Chaos = {
  installation,
  hosts,
  fleets: options.servers === 1 ? null : createFleets(hosts),
  sites: [],
  followers: [],
  chance: createChance(seed),
  tally: createTally(),
  log,
  phase: ending.signal,
};

async function openSites(): Promise<void> {
  for (const [index, name] of SITES.entries()) {
    const host = hosts[index % hosts.length];
    if (host === undefined) continue;
    const site = await openSite(chaos, host, `${name}-1`, APPS.includes(name));
    chaos.sites.push(site);
    await deployNext({ installation, site, host });
    await sendVisitor(installation, site);
  }
}

async function journey(): Promise<void> {
  await openSites();
  while (Date.now() < endsAt && !ending.signal.aborted) {
    chaos.tally.rounds += 1;
    const seconds = chaos.chance.integer(15, 45);
    log(`round ${chaos.tally.rounds}: ${seconds} s of chaos`);
    await causeFaults(chaos, seconds * 1000, ending.signal);
    if (ending.signal.aborted) return;
    log("quiet");
    await recoverAll(chaos);
    await check(chaos, `round ${chaos.tally.rounds}`);
    await tidyUp(chaos);
    log(`round ${chaos.tally.rounds} holds`);
  }
}

let violation: string | null = null;
try {
  await journey();
  if (!ending.signal.aborted) await countLeft(chaos);
} catch (error) {
  violation = error instanceof Error ? (error.stack ?? error.message) : String(error);
}
for (const follower of chaos.followers) await follower.leave();
for (const site of chaos.sites) {
  await endVisits(chaos, site);
}
log(`seed ${seed}\n${chaos.tally.render()}`);
if (violation !== null) {
  log(`VIOLATION, everything is kept in ${installation.home}\n${violation}`);
  await writeFile(join(installation.home, "violation.txt"), `seed ${seed}\n${violation}\n`);
}
await installation.stop();
if (violation === null) await rm(installation.home, { recursive: true, force: true });
process.exit(violation === null ? 0 : 1);
