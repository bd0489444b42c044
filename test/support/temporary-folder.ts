import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "gantry-tests-";
/** Several times the most that the tests use at one time. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Puts the temporary files of this process and its children in memory, if the machine has enough. Databases,
 * repositories and the agent sync every commit and every file, which takes most of their time on a real disk.
 * An existing TMPDIR is kept. The files are removed when this process exits.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] !== undefined || !isUsable()) return;
  removeLeftovers();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** Whether the folder is in memory, has enough space, and allows executables, because tests run scripts. */
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

/** Removes the folders of test runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    } catch {
      // A killed run may leave a mounted disk, which cannot be removed. It must not stop this run.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
