import { open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { isFollowed } from "#build/process/follow-file.ts";
import { openAmong } from "#build/process/open-files.ts";
import type { Isolation, ProjectUsers } from "#agent/isolation/isolation.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";

/** The part of the size limit that is kept of a file that is too long. */
const KEPT_PART = 1 / 4;

/** An output file of a release's activate command; `n` counts how often the command ran. */
type Output = { readonly path: string; readonly version: number; readonly n: number };

async function listOutput(folder: ProjectFolder): Promise<readonly Output[]> {
  const names = await readdir(folder.output).catch(() => []);
  return names.flatMap((name) => {
    const [, version, n] = /^(\d+)-(\d+)\.(?:stdout|stderr)$/.exec(name) ?? [];
    return version === undefined || n === undefined
      ? []
      : [{ path: join(folder.output, name), version: Number(version), n: Number(n) }];
  });
}

/**
 * Deletes the output files that no process writes to any more. The files of the current release's last activation
 * stay, because they have the last output of a crashed app. Never throws.
 */
export async function tidyOutput(
  isolation: Isolation,
  folder: ProjectFolder,
  current: number | null,
): Promise<void> {
  const files = await listOutput(folder);
  if (files.length === 0) return;
  const last = Math.max(0, ...files.filter(({ version }) => version === current).map(({ n }) => n));
  const rest = files.filter(
    ({ path, version, n }) => !isFollowed(path) && !(version === current && n === last),
  );
  // The agent cannot see which files the processes of other users have open.
  const running = isolation.kind === "none" ? [] : await listRunning(isolation, folder);
  if (running === null) return;
  const inUse = openAmong(rest.map(({ path }) => path));
  for (const { path, version, n } of rest)
    if (inUse?.has(path) !== true && !running.includes(`${version}-${n}`))
      await rm(path, { force: true }).catch(() => undefined);
  await rmdir(folder.output).catch(() => undefined);
}

/** @returns `null` when the helper does not answer: the next run tries again */
async function listRunning(users: ProjectUsers, { id }: ProjectFolder): Promise<readonly string[] | null> {
  const answer = await users.listRunning(id);
  return answer.kind === "done" ? answer.words.slice(1) : null;
}

/** Cuts output files that are too long down to their newest part. Never throws. */
export async function limitOutput(folder: ProjectFolder, maxBytes: number): Promise<void> {
  for (const { path } of await listOutput(folder)) {
    if (isFollowed(path)) continue;
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    // If the disk fails, the file stays as it is.
    if (size > maxBytes) await keepEnd(path, size, Math.floor(maxBytes * KEPT_PART)).catch(() => undefined);
  }
}

async function keepEnd(path: string, size: number, keptBytes: number): Promise<void> {
  const file = await open(path, "a+");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(keptBytes), 0, keptBytes, size - keptBytes);
    const kept = buffer.subarray(0, bytesRead);
    // The writers append, so they continue after the text that is put back. Output written meanwhile is lost or comes
    // before that text.
    await file.truncate();
    await file.appendFile(kept.subarray(kept.indexOf("\n") + 1));
  } finally {
    await file.close();
  }
}
