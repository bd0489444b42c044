import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { AccountId, DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";

import { writePrivately } from "./write-privately.ts";

/** DIR/local.json: how other programs find a running installation. */
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
  return writePrivately(join(home, "local.json"), content);
}

/** One of an earlier start names processes that have ended: who waits for this start must not find it. */
export function removeLocalFile(home: string): Promise<void> {
  return rm(join(home, "local.json"), { force: true });
}

/** What a running installation says of itself; null where none runs, or none has deployed anything yet. */
export async function readLocalFile(home: string): Promise<LocalFile | null> {
  const text = await readFile(join(home, "local.json"), "utf8").catch(() => null);
  return text === null ? null : LocalFile.parse(JSON.parse(text));
}
