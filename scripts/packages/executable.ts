import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { bundleCommand } from "../shared/build-command.ts";
import { Problem } from "../shared/problem.ts";
import { root } from "../shared/root.ts";
import { runCommand } from "../shared/run-command.ts";
import { type BundledPackage, bundledPackages } from "./bundled-packages.ts";

/** The mark in Node's program that postject sets. Source: Node, "Single executable applications". */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const program = join(root, "node_modules", "node", "bin", "node");

/** For which system the executable is: this one's, whose Node it contains. */
export const executableName = `gantry-${process.platform}-${process.arch}`;

/**
 * Makes the command and Node one program, for people without Node. It has no cache of compiled code: its bytes differ from
 * build to build.
 * @param path is replaced
 * @returns the packages whose code is in it
 */
export async function buildExecutable(path: string): Promise<BundledPackage[]> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-executable-"));
  try {
    const { code, sources } = await bundleCommand("cjs");
    // The paths are in the program, so they are relative.
    const config = {
      main: "gantry.cjs",
      output: "gantry.blob",
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: false,
    };
    await writeFile(join(folder, config.main), code);
    await writeFile(join(folder, "sea.json"), JSON.stringify(config));
    await run([program, "--experimental-sea-config", "sea.json"], folder);
    await mkdir(join(path, ".."), { recursive: true });
    await copyFile(program, path);
    await chmod(path, 0o755);
    const blob = join(folder, config.output);
    const resource = "NODE_SEA_BLOB";
    await run(["postject", path, resource, blob, "--sentinel-fuse", FUSE], folder);
    return await bundledPackages(sources);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(argv: readonly [string, ...string[]], cwd: string): Promise<void> {
  const { code, output } = await runCommand(argv, { cwd });
  if (code !== 0) throw new Problem(`${argv[0]} failed:\n${output.trim()}`);
}

/** The version of the Node in the executable. */
export async function executableNode(): Promise<string> {
  const { stdout } = await runCommand([program, "--version"]);
  return stdout.trim().replace(/^v/, "");
}
