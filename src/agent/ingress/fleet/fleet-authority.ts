import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { readRoot } from "#agent/ingress/caddy/admin.ts";
import { ownAddress } from "#agent/ingress/fleet/own-address.ts";
import type { IngressSettings } from "#agent/ingress/settings.ts";
import type { FleetReport } from "#contract/agent-fleet.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** The authority of this server's Caddy, which other servers must know. */
export type FleetAuthority = {
  /** Asks Caddy for it. Never throws. @returns whether the report has changed */
  look(): Promise<boolean>;
  /** Null without TLS, and before Caddy has answered for the first time. Never throws. */
  report(): Promise<FleetReport | null>;
};

export function createFleetAuthority(home: string, settings: IngressSettings): FleetAuthority {
  const { admin, listen, fleet_port: port, http_port } = settings;
  // After a reboot the agent may connect before Caddy answers: the other servers would lose their certificate meanwhile.
  const path = join(home, "ingress", "root.crt");
  let shown: string | null = null;

  async function report(): Promise<FleetReport | null> {
    const root = await readFile(path, "utf8").catch(() => null);
    if (listen !== undefined || root === null) return null;
    return { port, http_port, root, address: await ownAddress() };
  }

  return {
    report,
    async look() {
      if (listen !== undefined) return false;
      const before = shown ?? JSON.stringify(await report());
      const root = await readRoot(admin);
      const known = await readFile(path, "utf8").catch(() => null);
      if (root !== null && root !== known) {
        await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
        await writeAtomic(path, root, { flush: true }).catch(() => undefined);
      }
      shown = JSON.stringify(await report());
      return shown !== before;
    },
  };
}
