import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { arch, platform } from "node:os";

import { findProgram } from "#build/tools/find-program.ts";

/** Raised when kept files of an earlier agent must not be used. */
const FORMAT = 1;

/** Everything that decides which files an installation makes. */
export type InstallFacts = {
  /** Of the files that it reads. */
  readonly digest: string;
  readonly command: string;
  /** The folder in which it runs, relative to the release. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly path: string;
};

/** Programs whose version changes what is installed, also if the command does not name them. */
const runtimes = ["node", "npm", "pnpm", "yarn", "corepack", "bun", "php", "composer", "ruby", "bundle"];
const morePrograms = ["python3", "uv", "poetry", "pipenv", "mise", "gcc"];

/** The key of an installation: equal keys mean equal files. Contains values of variables only as a hash. */
export async function dependencyKey({
  digest,
  command,
  folder,
  variables,
  path,
}: InstallFacts): Promise<string> {
  // By their files, because asking all of them for their versions would take longer than a copy.
  const tools: (string | null)[] = [];
  for (const program of [...runtimes, ...morePrograms])
    tools.push((await findProgram(program, path))?.identity ?? null);
  // Compiled packages are for one system and its libraries.
  const system = await readFile("/etc/os-release", "utf8").catch(() => "");
  const sorted = Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const facts = [FORMAT, digest, command, folder, sorted, path, tools, platform(), arch(), system];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
