import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { installPackages, lastLines } from "./apt.ts";
import { missingPrograms } from "./find-program.ts";
import { Problem } from "./problem.ts";
import { runCommand } from "./run-command.ts";
import { print } from "./terminal.ts";

const release = "bookworm";
/** A small server's packages, and those that the installer needs. Node comes from this machine: Debian's is too old. */
const packages = [
  "systemd",
  "systemd-sysv",
  "dbus",
  "procps",
  "curl",
  "git",
  "openssh-client",
  "ca-certificates",
];

const tools = ["mmdebstrap", "systemd-nspawn"];
const advice =
  "The server tests boot a Debian with systemd-nspawn. Run them as root on Debian, with: apt-get install mmdebstrap systemd-container";

/** The folder of the root file system, which is kept between runs. Its name has a hash of the content. */
export function debianRootPath(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const id = createHash("sha256")
    .update([release, ...packages].join(" "))
    .digest("hex")
    .slice(0, 12);
  return join(cache, "gantry", `debian-${id}`);
}

/**
 * Creates the root file system if it does not exist, and installs the programs that boot it.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureDebianRoot(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Problem(advice);
  if (!(await haveTools())) {
    print("Installing mmdebstrap and systemd-container for the server tests");
    await installPackages(["mmdebstrap", "systemd-container"], haveTools, advice);
  }
  const root = debianRootPath();
  if (existsSync(join(root, "etc/os-release"))) return;
  print("Creating a Debian for the server tests. This takes about a minute, once.");
  const draft = `${root}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const made = await runCommand([
      "mmdebstrap",
      "--variant=minbase",
      `--include=${packages.join(",")}`,
      release,
      draft,
    ]);
    if (made.code !== 0) throw new Problem(`mmdebstrap failed:\n${lastLines(made)}`);
    // The rename fails if a parallel run was faster.
    await rename(draft, root).catch((error: unknown) => {
      if (!existsSync(root)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function haveTools(): Promise<boolean> {
  return (await missingPrograms(tools)).length === 0;
}
