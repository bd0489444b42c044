import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod";

import { createLockFile, removeLeftLock } from "#node/lock-file.ts";

import { Problem } from "../shared/problem.ts";
import { identify, isAlive, killGroup, type ProcessIdentity } from "../shared/processes.ts";

/** The longest that the agent of an earlier start may take to stop its runs. */
const LEFTOVER_MS = 15_000;

const Identity = z.strictObject({ pid: z.int().min(1), startedAt: z.string().nullable() });
const LockFile = z.strictObject({ holder: Identity, children: z.array(Identity) });

/** What keeps two starts from using one home. */
export type HomeLock = {
  /** Notes whom to end, should this process be killed before it can do it itself. */
  noteChildren(pids: readonly number[]): Promise<void>;
  release(): Promise<void>;
};

const pathOf = (home: string) => join(home, "run", "start.lock");

/** @returns the process that uses the home now, if any. Writes nothing. */
export async function holderOf(home: string): Promise<number | null> {
  const file = await readLock(pathOf(home));
  return file !== null && isAlive(file.holder) ? file.holder.pid : null;
}

/** @throws Problem when another start uses the home */
export async function lockHome(home: string): Promise<HomeLock> {
  const path = pathOf(home);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const holder = identify(process.pid);
  const content = (children: readonly ProcessIdentity[]) => JSON.stringify({ holder, children });
  while (!(await createLockFile(path, content([])))) {
    const pid = await holderOf(home);
    if (pid !== null) throw homeInUse(home, pid);
    await endLeftovers(home);
    await removeLeftLock(path, isHeld);
  }
  // One after the other: of two writes at once, the older could come last.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (change: () => Promise<void>): Promise<void> => (last = last.then(change, change));
  return {
    noteChildren(pids) {
      const children = pids.map(identify);
      return inTurn(async () => {
        await writeFile(`${path}.tmp`, content(children), { mode: 0o600 });
        await rename(`${path}.tmp`, path);
      });
    },
    release: () => inTurn(() => rm(path, { force: true })),
  };
}

export function homeInUse(home: string, pid: number): Problem {
  return new Problem(
    `${home} is in use by another start (process ${pid}).\nEnd that one with Ctrl-C, or start beside it: npm start -- --home OTHER --port OTHER`,
  );
}

/**
 * A start that was killed could not end its servers. They notice and end by themselves, which is waited for, because
 * they may still hold ports; what does not end is killed.
 */
export async function endLeftovers(home: string): Promise<void> {
  const children = (await readLock(pathOf(home)))?.children ?? [];
  const deadline = Date.now() + LEFTOVER_MS;
  while (children.some(isAlive) && Date.now() < deadline) await pause(100);
  for (const child of children) {
    // The number may belong to somebody else by now; without the start of the process nobody can tell.
    const isOther =
      child.startedAt === null || (isAlive({ pid: child.pid, startedAt: null }) && !isAlive(child));
    if (!isOther) killGroup(child.pid);
  }
}

async function isHeld(path: string): Promise<boolean> {
  const file = await readLock(path);
  return file !== null && isAlive(file.holder);
}

async function readLock(path: string): Promise<z.infer<typeof LockFile> | null> {
  try {
    return LockFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}
