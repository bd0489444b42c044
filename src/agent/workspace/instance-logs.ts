import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { limitLogFile } from "#agent/workspace/limit-log-file.ts";
import { removeOutputTimes } from "#agent/workspace/output-times.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** How many logs of instances that have ended are kept, the newest. */
const KEPT_LOGS = 10;

/** The file that an instance's output is appended to. Its older output is in `<file>.1`. */
export function instanceLog(folder: ProjectFolder, name: string): string {
  return join(folder.logs, `${name}.log`);
}

/** The names of the instances that have a log, also of ended instances. */
export async function listInstanceLogs(folder: ProjectFolder): Promise<readonly string[]> {
  const files = await readdir(folder.logs).catch(() => []);
  return files.flatMap((file) => /^(.+)\.log$/.exec(file)?.[1] ?? []);
}

/**
 * Limits the logs of a project's instances, and deletes old ones of instances that have ended. Never throws.
 * @param beforeEmptied called with the name of an instance just before its log is emptied
 */
export async function limitInstanceLogs(
  folder: ProjectFolder,
  maxBytes: number,
  beforeEmptied: (name: string) => void = () => undefined,
): Promise<void> {
  const names = await listInstanceLogs(folder);
  if (names.length === 0) return;
  for (const name of names)
    await limitLogFile(instanceLog(folder, name), maxBytes, () => beforeEmptied(name));
  const noted = new Set(await readdir(folder.instances).catch(() => []));
  const ended = await Promise.all(
    names
      .filter((name) => !noted.has(`${name}.json`))
      .map(async (name) => {
        const changedAt = (await stat(instanceLog(folder, name)).catch(() => null))?.mtimeMs ?? 0;
        return { name, changedAt };
      }),
  );
  for (const { name } of ended.toSorted((a, b) => b.changedAt - a.changedAt).slice(KEPT_LOGS)) {
    removeOutputTimes(folder, name);
    for (const path of [instanceLog(folder, name), `${instanceLog(folder, name)}.1`])
      await rm(path, { force: true }).catch(() => undefined);
  }
}
