import { readdirSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";

import { attempt } from "#node/attempt.ts";
import { livingPids } from "#build/process/process-table.ts";

/**
 * Finds out which of these files another process has open. Files that processes of other users have open cannot be
 * seen.
 * @returns `null` when there is no /proc
 */
export function openAmong(paths: readonly string[]): ReadonlySet<string> | null {
  // Reading all processes is slow on a large server, and the agent does it for each project when it starts.
  if (paths.length === 0) return new Set();
  const pids = livingPids();
  if (pids.length === 0) return null;
  const wanted = paths.map((path) => ({ path, name: basename(path), id: identityOf(path) }));
  const found = new Set<string>();
  for (const pid of pids) {
    if (pid === process.pid) continue;
    for (const link of openFilesOf(pid)) {
      const name = basename(attempt(() => readlinkSync(link), ""));
      // Compared by identity, because a process in another mount namespace may see the file under another path.
      for (const file of wanted)
        if (file.name === name && file.id !== null && file.id === identityOf(link)) found.add(file.path);
    }
  }
  return found;
}

function identityOf(path: string): string | null {
  const found = attempt(() => statSync(path), null);
  return found === null ? null : `${found.dev}:${found.ino}`;
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return attempt(() => readdirSync(folder), []).map((fd) => `${folder}/${fd}`);
}
