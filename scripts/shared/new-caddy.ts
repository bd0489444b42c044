import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { lastLines } from "./apt.ts";
import { Problem } from "./problem.ts";
import { runCommand, type RunOutcome } from "./run-command.ts";
import { print } from "./terminal.ts";

/** The version that install.sh downloads. */
export const CADDY_VERSION = "2.11.4";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const advice =
  "The server tests run Caddy of Debian's unstable release, because the stable one is too old. Run them on Debian.";

/** The program, and the package that it comes from. They are kept between runs. */
export function newCaddy(): { readonly folder: string; readonly program: string; readonly deb: string } {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "gantry", `caddy-${CADDY_VERSION}`);
  return { folder, program: join(folder, "caddy"), deb: join(folder, "caddy.deb") };
}

/**
 * Downloads Caddy's package of Debian's unstable release with apt, from a package list of its own, and unpacks the
 * program. It installs nothing.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureNewCaddy(): Promise<void> {
  const { folder, program } = newCaddy();
  if (existsSync(program)) return;
  print("Downloading Caddy for the server tests");
  const draft = `${folder}.${process.pid}`;
  const lists = join(draft, "lists");
  await mkdir(join(lists, "partial"), { recursive: true });
  await mkdir(join(draft, "archives/partial"), { recursive: true });
  try {
    await writeFile(join(draft, "sources.list"), `deb [signed-by=${KEYRING}] ${await mirror()} sid main\n`);
    const options = [
      `Dir::State::Lists=${lists}`,
      `Dir::Cache=${draft}`,
      `Dir::Etc::SourceList=${join(draft, "sources.list")}`,
      ...["Dir::Etc::SourceParts=-", "Acquire::Languages=none", "APT::Sandbox::User=root"],
    ].flatMap((option) => ["-o", option]);
    const apt = (...args: string[]) => runCommand(["apt-get", ...options, ...args], { cwd: draft });
    succeed(await apt("update"));
    // The version of the pin, as long as the mirrors have it.
    const pinned = await apt("download", `caddy=${CADDY_VERSION}-1`);
    if (pinned.code !== 0) succeed(await apt("download", "caddy"));
    const name = (await readdir(draft)).find((file) => file.endsWith(".deb"));
    if (name === undefined) throw new Problem(advice);
    await rename(join(draft, name), join(draft, "caddy.deb"));
    succeed(await runCommand(["dpkg-deb", "--extract", join(draft, "caddy.deb"), join(draft, "files")]));
    await copyFile(join(draft, "files/usr/bin/caddy"), join(draft, "caddy"));
    await chmod(join(draft, "caddy"), 0o755);
    for (const left of ["files", "lists", "archives", "pkgcache.bin", "srcpkgcache.bin"])
      await rm(join(draft, left), { recursive: true, force: true });
    // The rename fails if a parallel run was faster.
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Where this machine gets its packages from. */
async function mirror(): Promise<string> {
  const format = "$(REPO_URI) $(RELEASE)";
  const listed = await runCommand(["apt-get", "indextargets", "--format", format]);
  const [uri] = listed.stdout
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, release]) => release === "bookworm" || release === "trixie")
    .flatMap(([found]) => found ?? []);
  if (uri === undefined) throw new Problem(advice);
  return uri;
}

function succeed(outcome: RunOutcome): void {
  if (outcome.code !== 0) throw new Problem(`${lastLines(outcome)}\n${advice}`);
}
