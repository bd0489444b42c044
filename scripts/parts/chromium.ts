import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { installPackages } from "./apt.ts";
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
  const advice = "The dashboard is tested in Chromium. Install it, such as with: apt-get install chromium";
  print("Installing Chromium for the tests of the dashboard, about a minute");
  await installPackages(["chromium"], async () => (await findChromium()) !== null, advice);
  print("Chromium installed");
}
