import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { writeAtomic } from "#node/write-atomic.ts";

/**
 * How a running agent stands with its control plane, for `gantry-agent status` and the installer.
 * `reason`: why it is not connected, as a sentence's end; `null` where it is.
 */
export const LinkStatus = z.object({
  pid: z.int(),
  agent_version: z.string(),
  protocol: z.int(),
  url: z.string(),
  server_id: z.string(),
  connected: z.boolean(),
  since: z.string(),
  reason: z.nullable(z.string()),
});
export type LinkStatus = z.infer<typeof LinkStatus>;

const pathIn = (home: string) => join(home, "link.json");

let lastWrite: Promise<void> = Promise.resolve();

/** Notes it in the home folder, one after the other. A disk that is full costs the note and nothing else. */
export function noteLinkStatus(home: string, status: LinkStatus): void {
  const write = () => writeAtomic(pathIn(home), `${JSON.stringify(status, null, 2)}\n`);
  lastWrite = lastWrite.then(write).catch(() => undefined);
}

/** @returns `null` where no agent has noted anything yet */
export async function readLinkStatus(home: string): Promise<LinkStatus | null> {
  try {
    return LinkStatus.parse(JSON.parse(await readFile(pathIn(home), "utf8")));
  } catch {
    return null;
  }
}
