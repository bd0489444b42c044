import { lookup } from "node:dns/promises";

import { Health } from "#contract/endpoints/accounts/schemas.ts";

import { Problem } from "../shared/problem.ts";
import type { ReleaseOptions } from "./options.ts";

const TIMEOUT_MS = 5_000;

/** Whether an installation of Gantry responds at an address. @param url without a slash at the end */
export async function isInstallation(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return Health.safeParse(await response.json()).success;
  } catch {
    return false;
  }
}

/**
 * Checks that the domain is free or already belongs to an installation. Without a terminal, wrangler would replace the
 * domain's DNS record without a warning.
 * @throws Problem if something else uses the domain, and --replace is not passed
 */
export async function refuseForeignDomain({ domain, replace }: ReleaseOptions): Promise<void> {
  if (domain === null || replace) return;
  const found = await lookup(domain).catch(() => null);
  if (found === null || (await isInstallation(`https://${domain}`))) return;
  throw new Problem(
    `${domain} is in use: it leads to ${found.address}, where no Gantry responds. A release would replace its DNS record.\nChoose another domain, or pass --replace to replace the record.`,
  );
}
