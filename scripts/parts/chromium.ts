import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { Problem } from "./problem.ts";
import { runCommand } from "./run-command.ts";
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
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  // A list of packages that is there may be good enough, and a new one may be out of reach.
  await runCommand(["apt-get", "update"], { env });
  const { code, output } = await runCommand(
    ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"],
    { env },
  );
  if (code !== 0 || (await findChromium()) === null)
    throw new Problem(`${output.trim().split("\n").slice(-5).join("\n")}\n${advice}`);
  print("Chromium installed");
}
