import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import {
  balanceSlots,
  type BalanceSlot,
  chooseMembers,
  memberOfSlot,
  type Verdict,
} from "#agent/ingress/fleet/choose-members.ts";
import type { BalancedSite } from "#agent/ingress/fleet/resolve-fleet.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** Beside the slots of this server's own instances: a balancer can be a member too. */
const FOLDER = "balance";

/** The folder with the slots of a balanced project. */
export function balanceFolder(slotsFolder: string, project: ProjectId): string {
  return join(slotsFolder, FOLDER, project);
}

/** The file of a slot. `name`: in the folder of its project. */
export type BalanceFile = BalanceSlot & { readonly name: string; readonly path: string };

/** The files of a balanced project's slots, in the order in which requests go to them. Each contains the address of a member. */
export function balanceFiles(
  slotsFolder: string,
  { project, members }: Pick<BalancedSite, "project" | "members">,
): readonly BalanceFile[] {
  const folder = balanceFolder(slotsFolder, project);
  return balanceSlots(members.map(({ server }) => server)).map((slot) => {
    const name = `${slot.owner}-${slot.turn}`;
    return { ...slot, name, path: join(folder, name) };
  });
}

/**
 * Leads the requests of a balanced project to the members that should get them, as files, so that Caddy needs no new
 * configuration. Only files with another address are written. Safe to repeat.
 * @throws the file system's error; requests may then go to a member that is out, and Caddy tries another one
 */
export async function writeBalance(
  slotsFolder: string,
  site: BalancedSite,
  verdictOf: (member: ServerId) => Verdict,
): Promise<void> {
  const members = site.members.map(({ server }) => server);
  const chosen = chooseMembers(members, verdictOf);
  const dials = new Map(site.members.map(({ server, dial }) => [server, dial]));
  await mkdir(balanceFolder(slotsFolder, site.project), { recursive: true });
  await Promise.all(
    balanceFiles(slotsFolder, site).map(async ({ path, ...slot }) => {
      const dial = dials.get(memberOfSlot(slot, members, chosen)) ?? "";
      if ((await readOr(path)) !== dial) await writeAtomic(path, dial);
    }),
  );
}

/** The members that get the requests of their own slots, as an earlier agent process left it. */
export async function membersIn(slotsFolder: string, site: BalancedSite): Promise<readonly ServerId[]> {
  const dials = new Map(site.members.map(({ server, dial }) => [server, dial]));
  const first = balanceFiles(slotsFolder, site).filter(({ turn }) => turn === 0);
  const read = await Promise.all(first.map(async ({ owner, path }) => ({ owner, dial: await readOr(path) })));
  return read.flatMap(({ owner, dial }) => (dial !== null && dial === dials.get(owner) ? [owner] : []));
}

/** Deletes the slots of projects and members that this server no longer balances. Call it when Caddy does not read them. */
export async function removeOtherBalances(
  slotsFolder: string,
  sites: readonly BalancedSite[],
): Promise<void> {
  const folder = join(slotsFolder, FOLDER);
  const kept = new Set(sites.flatMap((site) => balanceFiles(slotsFolder, site).map(({ path }) => path)));
  for (const project of await listed(folder)) {
    for (const name of await listed(join(folder, project)))
      if (!kept.has(join(folder, project, name))) await rm(join(folder, project, name), { force: true });
    if (!sites.some((site) => site.project === project))
      await rm(join(folder, project), { recursive: true, force: true });
  }
}

function readOr(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}

function listed(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
