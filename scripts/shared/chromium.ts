import { installPackages } from "./apt.ts";
import { findProgram } from "./find-program.ts";
import { print } from "./terminal.ts";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The browser that the dashboard is tested in; null where there is none. */
export function findChromium(): Promise<string | null> {
  return findProgram(names);
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
