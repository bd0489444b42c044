import { rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { AccountId, DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";

import { writeAtomic } from "#node/write-atomic.ts";

/** local.json in the home: how other programs find a running installation. */
export const LocalFile = z.strictObject({
  url: z.string(),
  token: z.string(),
  account_id: AccountId,
  project_id: ProjectId,
  server_id: ServerId,
  site_url: z.string(),
  deployment_id: DeploymentId,
  agent_pid: z.int(),
  worker_pid: z.int(),
});
export type LocalFile = z.infer<typeof LocalFile>;

export function writeLocalFile(home: string, content: LocalFile): Promise<void> {
  return writeAtomic(join(home, "local.json"), `${JSON.stringify(content, null, 2)}\n`, {
    mode: 0o600,
    // Several programs of the start may change at the same time.
    uniqueDraft: true,
  });
}

/** Removes the file of an earlier start: a program that waits for this start must not read it. */
export function removeLocalFile(home: string): Promise<void> {
  return rm(join(home, "local.json"), { force: true });
}
