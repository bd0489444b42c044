import { join } from "node:path";

import * as z from "zod/mini";

import { readJsonFile } from "#node/read-json-file.ts";
import { Containers, IsolationLevel, ToolReport } from "#contract/endpoints/servers/schemas.ts";
import { storedAs } from "#contract/stored.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * The state of a running agent's link, for `gantry-agent status` and the installer. `reason`: why it is not
 * connected; `null` when it is.
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
  isolation: IsolationLevel,
  /** As a sentence. */
  policy: z.string(),
  tools: z.optional(z.array(ToolReport)),
  containers: z.optional(Containers),
});
export type LinkStatus = z.infer<typeof LinkStatus>;
const storedStatus = storedAs(LinkStatus);

const pathIn = (home: string) => join(home, "link.json");

let lastWrite: Promise<void> = Promise.resolve();

/** Writes the status to the home folder, one write after another. A failed write, as on a full disk, is ignored. */
export function writeLinkStatus(home: string, status: LinkStatus): void {
  const write = () => writeAtomic(pathIn(home), `${JSON.stringify(status, null, 2)}\n`);
  lastWrite = lastWrite.then(write).catch(() => undefined);
}

/** @returns `null` when no agent has written a status yet */
export function readLinkStatus(home: string): Promise<LinkStatus | null> {
  return readJsonFile(pathIn(home), storedStatus);
}
