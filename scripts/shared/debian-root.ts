import { createHash } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { installPackages, lastLines } from "./apt.ts";
import { findProgram } from "./find-program.ts";
import { Problem } from "./problem.ts";
import { runCommand } from "./run-command.ts";
import { print } from "./terminal.ts";

const release = "bookworm";
/** What a small server has, and what the installer needs. Node comes from this machine: Debian's is too old. */
const packages = ["systemd", "systemd-sysv", "dbus", "procps", "curl", "git", "ca-certificates"];

const tools = ["mmdebstrap", "systemd-nspawn"];
const advice =
  "The service is tested on a Debian that systemd-nspawn boots. Run this as root on Debian, with: apt-get install mmdebstrap systemd-container";

/** Where the root file system is kept between runs. Its name says what is in it. */
export function debianRootPath(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const id = createHash("sha256")
    .update([release, ...packages].join(" "))
    .digest("hex")
    .slice(0, 12);
  return join(cache, "gantry", `debian-${id}`);
}

/**
 * Makes the root file system where there is none yet, and installs what boots it.
 * @throws Problem that says what to do, where that cannot be done here
 */
export async function ensureDebianRoot(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Problem(advice);
  if (!(await haveTools())) {
    print("Installing mmdebstrap and systemd-container for the tests of the service");
    await installPackages(["mmdebstrap", "systemd-container"], haveTools, advice);
  }
  const root = debianRootPath();
  if (await exists(join(root, "etc/os-release"))) return;
  print("Making a Debian for the tests of the service, about a minute; it is kept for the next time");
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
    // Another run may have been faster.
    await rename(draft, root).catch(async (error: unknown) => {
      if (!(await exists(root))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function haveTools(): Promise<boolean> {
  const found = await Promise.all(tools.map((tool) => findProgram([tool])));
  return found.every((path) => path !== null);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
