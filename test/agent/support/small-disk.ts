import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A real file system of a few megabytes, mounted at a path of the test's choice. */
export type SmallDisk = {
  /** Writes a file until at most `bytesLeft` bytes are free. */
  fill(bytesLeft: number): void;
  /** Removes the file that `fill` wrote. */
  clear(): void;
  readonly freeBytes: number;
  /** Makes the file system read-only, as the kernel does after an error, or writable again. */
  setReadOnly(isReadOnly: boolean): void;
  unmount(): void;
};

const CHUNK = Buffer.alloc(4096);

/** @throws with the missing requirement if the mount fails */
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
      "The tests of a full disk mount a small tmpfs. Run them as root, or with a sudo that needs no password.",
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
