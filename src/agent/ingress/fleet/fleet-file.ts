import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { FleetState } from "#contract/agent-fleet.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

const storedFleet = storedAs(FleetState);

/** Changes are made in sequence, so that an older one never replaces a newer one. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Stores what the control plane says about the other servers, unless something newer is known already. Call
 * `ingress.apply` afterwards. Safe to repeat.
 * @throws the file system's error
 */
export function storeFleet(home: string, wanted: FleetState): Promise<void> {
  const change = last.then(async () => {
    const known = await readFleet(home);
    if (known !== null && known.revision >= wanted.revision) return;
    await mkdir(dirname(fleetFile(home)), { recursive: true });
    await writeAtomic(fleetFile(home), JSON.stringify(wanted), { flush: true });
  });
  last = change.catch(() => undefined);
  return change;
}

/** What was stored last, also by an earlier agent process; null: nothing, or a file that cannot be read. */
export function readFleet(home: string): Promise<FleetState | null> {
  return readJsonFile(fleetFile(home), storedFleet);
}

/** Forgets what another server was told whose agent had this home folder: its revisions could be newer. */
export async function forgetFleet(home: string): Promise<void> {
  await rm(fleetFile(home), { force: true });
}

function fleetFile(home: string): string {
  return join(home, "ingress", "fleet.json");
}
