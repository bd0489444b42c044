import { readdirSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";

import { livingPids } from "#agent/process/process-table.ts";

/**
 * Which of these files another process has open. Files of processes of other users cannot be seen.
 * @returns `null` where there is no /proc
 */
export function openAmong(paths: readonly string[]): ReadonlySet<string> | null {
  // To look through all processes takes a while on a large server, and the agent's start does this for each project.
  if (paths.length === 0) return new Set();
  const pids = livingPids();
  if (pids.length === 0) return null;
  const wanted = paths.map((path) => ({ path, name: basename(path), id: identityOf(path) }));
  const found = new Set<string>();
  for (const pid of pids) {
    if (pid === process.pid) continue;
    for (const link of openFilesOf(pid)) {
      const name = basename(readLink(link));
      // By identity: a process in another mount namespace may know the file by another path.
      for (const file of wanted)
        if (file.name === name && file.id !== null && file.id === identityOf(link)) found.add(file.path);
    }
  }
  return found;
}

function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((fd) => `${folder}/${fd}`);
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
