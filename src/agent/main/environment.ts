import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

import { readSettings } from "#agent/context/settings.ts";
import { chooseProxy } from "#agent/main/choose-proxy.ts";

/**
 * How long one of several addresses is tried before the next. Node's default of 250 ms is shorter than a round trip
 * to the other side of the world; this also allows for one lost packet.
 */
const ADDRESS_MS = 2_500;
setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);

// The process that reads the output may end first. The deployments continue.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);

/** The agent's settings, from the environment of its process. */
export const settings = readSettings(process.env);

/** Prints a line with its time. */
export function log(message: string): void {
  console.log(`${new Date().toISOString()} ${message}`);
}

/** Chooses the proxy for the control plane, and logs why one is not used. */
export function readProxy(url: string): URL | null {
  const choice = chooseProxy(process.env, new URL(url));
  if (choice.kind === "unusable") log(`connecting without a proxy: ${choice.reason}`);
  return choice.kind === "proxy" ? choice.proxy : null;
}
