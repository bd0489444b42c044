import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod";

import { createLockFile, removeStaleLock } from "#node/lock-file.ts";
import { signalGroup } from "#node/processes.ts";
import { writeAtomic } from "#node/write-atomic.ts";

import { Problem } from "../shared/problem.ts";
import { identify, isAlive, type ProcessIdentity } from "../shared/processes.ts";

/** How long the programs of an earlier start may take to end. The agent stops its runs first. */
const LEFTOVER_MS = 15_000;

const Identity = z.strictObject({ pid: z.int().min(1), startedAt: z.string().nullable() });
const LockFile = z.strictObject({
  holder: Identity,
  /** Of the API; null before it listens. */
  port: z.int().nullable(),
  children: z.array(Identity),
});

/** Keeps two starts from using the same home. */
export type HomeLock = {
  /** Saves the pids of the programs, so that the next start can end them if this process is killed. */
  saveChildren(pids: readonly number[]): Promise<void>;
  release(): Promise<void>;
};

const pathOf = (home: string) => join(home, "run", "start.lock");

/** The start that uses a home, and the port of its API. Null if there is none. Writes nothing. */
export async function startIn(
  home: string,
): Promise<{ readonly pid: number; readonly port: number | null } | null> {
  const file = await readLock(pathOf(home));
  return file !== null && isAlive(file.holder) ? { pid: file.holder.pid, port: file.port } : null;
}

/**
 * @param port of the API that will run in the home
 * @throws Problem when another start uses the home
 */
export async function lockHome(home: string, port: number): Promise<HomeLock> {
  const path = pathOf(home);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const holder = identify(process.pid);
  const content = (children: readonly ProcessIdentity[]) => JSON.stringify({ holder, port, children });
  while (!(await createLockFile(path, content([]), isHeld))) {
    const start = await startIn(home);
    if (start !== null) throw homeInUse(home, start.pid);
    await endLeftovers(home);
    await removeStaleLock(path, isHeld);
  }
  // One write at a time: otherwise an older write could finish after a newer one.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (change: () => Promise<void>): Promise<void> => (last = last.then(change, change));
  return {
    saveChildren(pids) {
      const children = pids.map(identify);
      return inTurn(() => writeAtomic(path, content(children), { mode: 0o600 }));
    },
    release: () => inTurn(() => rm(path, { force: true })),
  };
}

export function homeInUse(home: string, pid: number): Problem {
  return new Problem(
    `${home} is in use by another start (process ${pid}).\nStop it with Ctrl-C, or use another home and port: npm start -- --home OTHER --port OTHER`,
  );
}

/**
 * Waits until the programs of a killed start have ended, because they may still hold ports. They detect the lost parent
 * and end themselves. Kills programs that do not end in time.
 */
export async function endLeftovers(home: string): Promise<void> {
  const children = (await readLock(pathOf(home)))?.children ?? [];
  const deadline = Date.now() + LEFTOVER_MS;
  while (children.some(isAlive) && Date.now() < deadline) await pause(100);
  for (const child of children) {
    // The pid may have been reused. Without a start time this cannot be ruled out.
    const isOther =
      child.startedAt === null || (isAlive({ pid: child.pid, startedAt: null }) && !isAlive(child));
    if (!isOther) signalGroup(child.pid, "SIGKILL");
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
