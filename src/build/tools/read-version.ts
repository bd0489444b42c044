import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { ProgramFile } from "#build/tools/find-program.ts";
import { parseObject } from "#contract/lib/json-object.ts";

const ANSWER_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The arguments with which a program prints its version, if it is not `--version`. */
const versionArguments: ReadonlyMap<string, readonly string[]> = new Map([
  ["go", ["version"]],
  ["hugo", ["version"]],
]);

/** The programs that are a file of an npm package with their own name, and take long to start. */
const npmPackages: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "corepack"]);

/** So that no program downloads another version of itself, or asks a question. */
const quiet = {
  COREPACK_ENABLE_NETWORK: "0",
  COREPACK_ENABLE_PROJECT_SPEC: "0",
  COMPOSER_ALLOW_SUPERUSER: "1",
  GOTOOLCHAIN: "local",
};

/**
 * Reads a program's version.
 * @param cwd a folder without version files
 * @returns `null` if it does not print one in time
 */
export async function readVersion(
  program: string,
  { path, file }: ProgramFile,
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | null> {
  if (program === "node" && file === process.execPath) return process.versions.node;
  if (npmPackages.has(program)) {
    const version = await packageVersion(program, file);
    if (version !== null) return version;
  }
  const args = versionArguments.get(program) ?? ["--version"];
  const env = { ...environment, ...quiet };
  const options = {
    cwd,
    env,
    timeout: ANSWER_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_ANSWER_BYTES,
  } as const;
  const answer = await new Promise<string>((resolve) => {
    const child = execFile(path, args, options, (error, stdout) => resolve(error === null ? stdout : ""));
    child.stdin?.end();
  });
  return /\d+(?:\.\d+)+(?:-[0-9A-Za-z.]+)?/.exec(answer)?.[0] ?? null;
}

/** The version in the package.json above a program's file; `null` if that is another package. */
async function packageVersion(name: string, file: string): Promise<string | null> {
  let folder = dirname(file);
  for (let depth = 0; depth < 3; depth += 1) {
    const manifest = parseObject(await readFile(join(folder, "package.json"), "utf8").catch(() => ""));
    const { version } = manifest;
    if (manifest["name"] === name && typeof version === "string") return version;
    folder = dirname(folder);
  }
  return null;
}
