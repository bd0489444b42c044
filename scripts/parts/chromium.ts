import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { Problem } from "./problem.ts";
import { type CommandOutcome, runCommand } from "./run-command.ts";
import { print } from "./terminal.ts";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The browser that the dashboard is tested in; null where there is none. */
export async function findChromium(): Promise<string | null> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    if (await isExecutable(path)) return path;
  return null;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Installs Chromium where it is missing, from the packages of Debian or of what is made of it.
 * @throws Problem that says what to do, where that cannot be done here
 */
export async function ensureChromium(): Promise<void> {
  if ((await findChromium()) !== null) return;
  const isRoot = process.getuid?.() === 0;
  const advice = "The dashboard is tested in Chromium. Install it, such as with: apt-get install chromium";
  if (!isRoot) throw new Problem(advice);
  print("Installing Chromium for the tests of the dashboard, about a minute");
  // A list of packages that is there may be good enough, and a new one may be out of reach.
  const updated = await aptGet("update");
  const installed = await aptGet("install", "--yes", "--no-install-recommends", "chromium");
  if (installed.code === 0 && (await findChromium()) !== null) {
    print("Chromium installed");
    return;
  }
  const failed = [updated, installed].filter(({ code }) => code !== 0);
  throw new Problem([...failed.map(lastLines), advice].join("\n"));
}

function aptGet(...args: readonly string[]): Promise<CommandOutcome> {
  // Another program may just be installing something; a host that does not answer is not worth minutes.
  const patience = ["DPkg::Lock::Timeout=120", "Acquire::http::Timeout=30", "Acquire::https::Timeout=30"];
  return runCommand(["apt-get", ...patience.flatMap((option) => ["-o", option]), ...args], {
    env: { DEBIAN_FRONTEND: "noninteractive" },
  });
}

function lastLines({ output }: CommandOutcome): string {
  return output.trim().split("\n").slice(-5).join("\n");
}
