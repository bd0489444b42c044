import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { ProjectId, ServerId } from "#contract/ids.ts";

import { writePrivately } from "./write-privately.ts";

/** A project that a start has made. `askedBranch`: null when the repository's default was taken. */
const StartedProject = z.strictObject({
  project_id: ProjectId,
  repository: z.string(),
  asked_branch: z.string().nullable(),
});
export type StartedProject = z.infer<typeof StartedProject>;

/** What a home remembers from one start to the next. The project of the last start comes first. */
export const StartMemo = z.strictObject({
  server_id: z.nullable(ServerId),
  projects: z.array(StartedProject),
});
export type StartMemo = z.infer<typeof StartMemo>;

const pathOf = (home: string) => join(home, "start.json");

/** Everything in it can be found or made again, so one that cannot be read is an empty one. */
export async function readMemo(home: string): Promise<StartMemo> {
  try {
    return StartMemo.parse(JSON.parse(await readFile(pathOf(home), "utf8")));
  } catch {
    return { server_id: null, projects: [] };
  }
}

export function writeMemo(home: string, memo: StartMemo): Promise<void> {
  return writePrivately(pathOf(home), memo);
}
