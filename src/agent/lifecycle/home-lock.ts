import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { isNoSpaceError } from "#node/has-code.ts";
import { createLockFile, removeLeftLock } from "#node/lock-file.ts";
import { pause } from "#contract/lib/pause.ts";
import { bootId, commandLineOf, startTimeOf } from "#agent/process/process-table.ts";

/** Which process works in a home folder, and what says that it is still the same one. */
const Holder = z.object({
  pid: z.int(),
  start_time: z.nullable(z.string()),
  boot_id: z.nullable(z.string()),
  /** An earlier agent does not note it. */
  command: z.optional(z.nullable(z.string())),
});
type Holder = z.infer<typeof Holder>;

export type LockEnd =
  | { readonly kind: "taken"; release(): Promise<void> }
  | { readonly kind: "held"; readonly pid: number };

const POLL_MS = 200;

/**
 * Makes sure that one agent works in a home folder: a second one would take the first one's runs for leftovers.
 * @param patienceMs how long to wait for one that is just ending
 */
export async function lockHome(
  home: string,
  patienceMs: number,
  log: (message: string) => void,
): Promise<LockEnd> {
  const path = join(home, "agent.lock");
  const own: Holder = {
    pid: process.pid,
    start_time: startTimeOf(process.pid),
    boot_id: bootId(),
    command: commandLineOf(process.pid),
  };
  const lock: LockEnd = { kind: "taken", release: () => rm(path, { force: true }) };
  for (let waitedMs = 0; ;) {
    const made = await makeLock(path, JSON.stringify(own));
    if (made === "made") return lock;
    const holder = await readHolder(path);
    if (holder !== null && isHolding(holder)) {
      if (waitedMs >= patienceMs) return { kind: "held", pid: holder.pid };
      if (waitedMs === 0) log(`another agent (process ${holder.pid}) works here: waiting for its end`);
      await pause(POLL_MS);
      waitedMs += POLL_MS;
    } else if (made === "no_room") {
      log("the disk is full");
      await writeOver(path, JSON.stringify(own));
      return lock;
    } else {
      await removeLeftLock(path, async (found) => {
        const other = await readHolder(found);
        return other !== null && isHolding(other);
      });
    }
  }
}

async function makeLock(path: string, text: string): Promise<"made" | "taken" | "no_room"> {
  try {
    return (await createLockFile(path, text)) ? "made" : "taken";
  } catch (error) {
    if (isNoSpaceError(error)) return "no_room";
    throw error;
  }
}

/**
 * On a full disk an agent has to work all the more: only through it can projects be removed, and others be gone back in.
 * The file of an agent that was killed has its room already. What of it is longer is blank.
 */
async function writeOver(path: string, text: string): Promise<void> {
  const left = await readFile(path, "utf8").catch(() => null);
  if (left !== null) await writeFile(path, text.padEnd(left.length), { flag: "r+" }).catch(() => undefined);
}

/** The process that works in a home folder; `null` where none does. */
export async function holderOf(home: string): Promise<number | null> {
  const holder = await readHolder(join(home, "agent.lock"));
  return holder !== null && isHolding(holder) ? holder.pid : null;
}

function isHolding(holder: Holder): boolean {
  if (holder.boot_id !== bootId()) {
    // After a boot the pid and the start time may be another process's by chance, or our own. Without a boot, as between
    // a unit and a shell in a container, all of it is the same.
    const { pid, start_time, command } = holder;
    if (pid === process.pid || start_time === null || typeof command !== "string") return false;
    return startTimeOf(pid) === start_time && commandLineOf(pid) === command;
  }
  if (holder.start_time !== null) return startTimeOf(holder.pid) === holder.start_time;
  // Numbers are given out again, above all in a container, where each start has the same.
  if (holder.pid === process.pid) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return Holder.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}
