import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A real file system of a few megabytes, mounted where a test wants it. */
export type SmallDisk = {
  /** Writes a file that leaves no more than so many bytes free. */
  fill(bytesLeft: number): void;
  /** Removes what `fill` has written. */
  clear(): void;
  readonly freeBytes: number;
  /** Makes it read-only, as the kernel does after an error, or takes that back. */
  setReadOnly(isReadOnly: boolean): void;
  unmount(): void;
};

const CHUNK = Buffer.alloc(4096);

/** @throws with what is missing where nothing can be mounted */
export function mountSmallDisk(path: string, bytes: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  const options = `size=${bytes},nr_inodes=100000,uid=${process.getuid?.()},gid=${process.getgid?.()},mode=0755`;
  const isRoot = process.getuid?.() === 0;
  const run = (command: readonly string[]): void => {
    const [program = "", ...args] = isRoot ? command : ["sudo", "-n", ...command];
    execFileSync(program, args, { stdio: "pipe" });
  };
  try {
    run(["mount", "-t", "tmpfs", "-o", options, "gantry-test", path]);
  } catch (error) {
    throw new Error(
      "The tests of a full disk need a small one: they mount a tmpfs, as root, or with sudo that asks for no password.",
      { cause: error },
    );
  }
  const ballast = join(path, "ballast");
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    fill(bytesLeft) {
      const file = openSync(ballast, "a");
      try {
        while (freeBytes() > bytesLeft) writeSync(file, CHUNK);
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(ballast, { force: true }),
    get freeBytes() {
      return freeBytes();
    },
    setReadOnly: (isReadOnly) => run(["mount", "-o", `remount,${isReadOnly ? "ro" : "rw"}`, path]),
    unmount: () => run(["umount", "-l", path]),
  };
}
