import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "gantry-tests-";
/** Several times the most that the tests use at one time. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Creates the folder for the temporary files of a run of the tests, which this process starts. It is in memory if the machine
 * has enough and no TMPDIR is set. Databases, repositories and the agent sync every commit and every file, which takes most
 * of their time on a real disk.
 */
export function createTemporaryFolder(): string {
  const parent = process.env["TMPDIR"] === undefined && isUsable() ? MEMORY : tmpdir();
  removeLeftovers(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Gives vitest a folder of its own if it was not started by `scripts/test.ts`. It is removed when this process exits. */
export function useTemporaryFolder(): void {
  if (process.env["TMPDIR"] !== undefined) return;
  const folder = createTemporaryFolder();
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
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
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
