import { installPackages } from "./apt.ts";
import { findProgram } from "./find-program.ts";
import { print } from "./terminal.ts";

/** Chromium without its window, address bar and settings: it takes a third less CPU time. */
const HEADLESS = "chromium-headless-shell";
const names = [HEADLESS, "chromium", "chromium-browser", "google-chrome"];

/** @returns the path of the browser for the dashboard's tests; null if no browser is installed */
export function findChromium(): Promise<string | null> {
  return findProgram(names);
}

/**
 * Installs Chromium if it is missing, on Debian or a derived system.
 * @throws Problem with what to do if that is not possible here
 */
export async function ensureChromium(): Promise<void> {
  if ((await findChromium()) !== null) return;
  const advice = `The tests of the dashboard need Chromium. Install it, for example with: apt-get install ${HEADLESS}`;
  print("Installing Chromium for the tests of the dashboard. This takes about a minute.");
  await installPackages([HEADLESS], async () => (await findChromium()) !== null, advice);
  print("Chromium installed");
}
