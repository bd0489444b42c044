import { closeSync, existsSync, mkdirSync, openSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { attempt } from "#node/attempt.ts";
import { hasCode } from "#node/has-code.ts";

/** A file that a command appends to. `fd` is open for reading and appending. */
export type OutputFile = { readonly path: string; readonly fd: number };

/**
 * Standard output and error of a command whose processes may outlive the agent. A pipe would close with its reader,
 * and the next printed line would end the process.
 */
export type OutputFiles = {
  readonly stdout: OutputFile;
  readonly stderr: OutputFile;
  close(): void;
  /** Closes and deletes both files, and the folder if it is empty then. */
  remove(): void;
};

/**
 * Creates two new files, `<name>-<n>.stdout` and `.stderr`. Only this user can read them, because their content is
 * not masked.
 * @throws when they cannot be created, for example on a full disk
 */
export function createOutputFiles(folder: string, name: string): OutputFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let n = 1; ; n += 1) {
    const stdout = createFile(join(folder, `${name}-${n}.stdout`));
    if (stdout === null) continue;
    try {
      const stderr = createFile(join(folder, `${name}-${n}.stderr`));
      if (stderr !== null) return bothOf(stdout, stderr);
    } catch (error) {
      removeFile(stdout);
      throw error;
    }
    removeFile(stdout);
  }
}

/** The first number that no output file of this name has. Creates the folder. */
export function nextOutputNumber(folder: string, name: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let n = 1; ; n += 1)
    if (!["stdout", "stderr"].some((stream) => existsSync(join(folder, `${name}-${n}.${stream}`)))) return n;
}

/** Opens the two files that another process has created. @throws when they cannot be opened */
export function openOutputFiles(folder: string, name: string): OutputFiles {
  const open = (stream: string): OutputFile => {
    const path = join(folder, `${name}.${stream}`);
    return { path, fd: openSync(path, "a+") };
  };
  return bothOf(open("stdout"), open("stderr"));
}

/** @returns `null` when the file exists already */
function createFile(path: string): OutputFile | null {
  try {
    return { path, fd: openSync(path, "ax+", 0o600) };
  } catch (error) {
    if (hasCode(error, "EEXIST")) return null;
    throw error;
  }
}

function bothOf(stdout: OutputFile, stderr: OutputFile): OutputFiles {
  return {
    stdout,
    stderr,
    close() {
      closeSync(stdout.fd);
      closeSync(stderr.fd);
    },
    remove() {
      removeFile(stdout);
      removeFile(stderr);
      attempt(() => rmdirSync(dirname(stdout.path)), null);
    },
  };
}

function removeFile({ path, fd }: OutputFile): void {
  closeSync(fd);
  rmSync(path, { force: true });
}
