import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { lastLines } from "./apt.ts";
import { Problem } from "./problem.ts";
import { runCommand, type RunOutcome } from "./run-command.ts";
import { print } from "./terminal.ts";

/** The version that install.sh downloads. */
const CADDY_VERSION = "2.11.4";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const advice =
  "The server tests run Caddy of Debian's unstable release, because the stable one is too old. Run them on Debian.";

/** Caddy, the package that it comes from, and Pebble, an issuer of certificates for tests. Kept between runs. */
export function ingressPrograms() {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "gantry", `ingress-${CADDY_VERSION}`);
  const program = (name: string) => join(folder, "files/usr/bin", name);
  return {
    folder,
    caddy: program("caddy"),
    deb: join(folder, "caddy.deb"),
    pebble: program("pebble"),
    pebbleDns: program("pebble-challtestsrv"),
  };
}

/**
 * Downloads these packages of Debian's unstable release with apt, from a package list of its own, and unpacks them. It
 * installs nothing.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureIngressPrograms(): Promise<void> {
  const { folder, caddy } = ingressPrograms();
  if (existsSync(caddy)) return;
  print("Downloading Caddy and Pebble for the server tests");
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
    succeed(await apt("download", "pebble"));
    for (const name of (await readdir(draft)).filter((file) => file.endsWith(".deb"))) {
      await rename(join(draft, name), join(draft, `${name.split("_")[0]}.deb`));
      succeed(
        await runCommand(["dpkg-deb", "--extract", `${name.split("_")[0]}.deb`, "files"], { cwd: draft }),
      );
    }
    for (const left of ["lists", "archives", "pkgcache.bin", "srcpkgcache.bin"])
      await rm(join(draft, left), { recursive: true, force: true });
    // The rename fails if a parallel run was faster.
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(caddy)) throw error;
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
