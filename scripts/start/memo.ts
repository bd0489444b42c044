import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { ProjectId, ServerId } from "#contract/ids.ts";

import { writeAtomic } from "#node/write-atomic.ts";

/** A project that a start created. `asked_branch` is null without --branch. */
const StartedProject = z.strictObject({
  project_id: ProjectId,
  repository: z.string(),
  asked_branch: z.string().nullable(),
});
export type StartedProject = z.infer<typeof StartedProject>;

/** What a home keeps from one start to the next. The project of the last start comes first. */
export const StartMemo = z.strictObject({
  server_id: z.nullable(ServerId),
  projects: z.array(StartedProject),
  /** The port of the API; null in a memo of an earlier version. */
  port: z.int().nullable().default(null),
});
export type StartMemo = z.infer<typeof StartMemo>;

const pathOf = (home: string) => join(home, "start.json");

/** Returns an empty memo if the file cannot be read: all of it can be found or created again. */
export async function readMemo(home: string): Promise<StartMemo> {
  try {
    return StartMemo.parse(JSON.parse(await readFile(pathOf(home), "utf8")));
  } catch {
    return { server_id: null, projects: [], port: null };
  }
}

export function writeMemo(home: string, memo: StartMemo): Promise<void> {
  return writeAtomic(pathOf(home), `${JSON.stringify(memo, null, 2)}\n`, { mode: 0o600 });
}
