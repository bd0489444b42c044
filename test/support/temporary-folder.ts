import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "gantry-tests-";
/** Several times as much as the tests need at any moment. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Puts the temporary files of this process and its children in memory, where the machine has enough of it. Databases,
 * repositories and the agent wait for the disk at every commit and every file: on a disk, that is most of their time.
 * A TMPDIR that is set already is kept. The files are removed when this process exits.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] !== undefined || !isUsable()) return;
  removeLeftovers();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** Whether it is in memory, has enough room, and lets programs run: tests write scripts and run them. */
function isUsable(): boolean {
  try {
    const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
    const [, , type, options] = mounts.findLast((line) => line.split(" ")[1] === MEMORY)?.split(" ") ?? [];
    if (type !== "tmpfs" || options === undefined || options.split(",").includes("noexec")) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** What a run that was killed could not remove. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
