import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { attempt } from "#node/attempt.ts";
import { isNoSpaceError } from "#node/has-code.ts";
import { createLockFile, removeStaleLock } from "#node/lock-file.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { pause } from "#contract/lib/pause.ts";
import { storedAs } from "#contract/stored.ts";
import { bootId, commandLineOf, startTimeOf } from "#build/process/process-table.ts";

/** The process that uses a home folder, with what identifies it. */
const Holder = z.object({
  pid: z.int(),
  start_time: z.nullable(z.string()),
  boot_id: z.nullable(z.string()),
  command: z.nullable(z.string()),
});
type Holder = z.infer<typeof Holder>;
const storedHolder = storedAs(Holder);

export type LockEnd =
  | { readonly kind: "taken"; release(): Promise<void> }
  | { readonly kind: "held"; readonly pid: number };

const POLL_MS = 200;

/**
 * Locks a home folder for one agent: a second one would treat the first one's runs as interrupted.
 * @param patienceMs how long to wait for an agent that is shutting down
 * @param name what locks it: of an agent and a supervisor, both may use the folder
 */
export async function lockHome(
  home: string,
  patienceMs: number,
  log: (message: string) => void,
  name: "agent" | "supervisor" = "agent",
): Promise<LockEnd> {
  const path = join(home, `${name}.lock`);
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
    const holder = await readJsonFile(path, storedHolder);
    if (holder !== null && isHolding(holder)) {
      if (waitedMs >= patienceMs) return { kind: "held", pid: holder.pid };
      if (waitedMs === 0)
        log(`another ${name} (process ${holder.pid}) uses this home folder: waiting until it ends`);
      await pause(POLL_MS);
      waitedMs += POLL_MS;
    } else if (made === "no_room") {
      log("the disk is full");
      await writeOver(path, JSON.stringify(own));
      return lock;
    } else {
      await removeStaleLock(path, isHeld);
    }
  }
}

async function isHeld(path: string): Promise<boolean> {
  const holder = await readJsonFile(path, storedHolder);
  return holder !== null && isHolding(holder);
}

async function makeLock(path: string, text: string): Promise<"made" | "taken" | "no_room"> {
  try {
    return (await createLockFile(path, text, isHeld)) ? "made" : "taken";
  } catch (error) {
    if (isNoSpaceError(error)) return "no_room";
    throw error;
  }
}

/**
 * Overwrites the lock of a killed agent in place. On a full disk the agent must still start: only it can remove
 * projects to free space, and roll others back. The existing file already has its space on disk, so the text is
 * padded to its length.
 */
async function writeOver(path: string, text: string): Promise<void> {
  const left = await readFile(path, "utf8").catch(() => null);
  if (left !== null) await writeFile(path, text.padEnd(left.length), { flag: "r+" }).catch(() => undefined);
}

/** The pid of the agent that uses a home folder; `null` when none does. */
export async function holderOf(home: string): Promise<number | null> {
  const holder = await readJsonFile(join(home, "agent.lock"), storedHolder);
  return holder !== null && isHolding(holder) ? holder.pid : null;
}

function isHolding(holder: Holder): boolean {
  if (holder.boot_id !== bootId()) {
    // After a reboot, the pid and the start time may belong to another process by chance, or to this one. Without a
    // reboot, as between a systemd unit and a shell in a container, all three are the same.
    const { pid, start_time, command } = holder;
    if (pid === process.pid || start_time === null || typeof command !== "string") return false;
    return startTimeOf(pid) === start_time && commandLineOf(pid) === command;
  }
  if (holder.start_time !== null) return startTimeOf(holder.pid) === holder.start_time;
  // Pids are reused, above all in containers, where each start gets the same one.
  if (holder.pid === process.pid) return false;
  return attempt(() => process.kill(holder.pid, 0), false);
}
