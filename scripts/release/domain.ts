import { lookup } from "node:dns/promises";

import { Health } from "#contract/endpoints/accounts/schemas.ts";

import { Problem } from "../shared/problem.ts";
import type { ReleaseOptions } from "./options.ts";

const TIMEOUT_MS = 5_000;

/** Whether an installation of Gantry answers there. @param url without a slash at its end */
export async function isInstallation(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return Health.safeParse(await answer.json()).success;
  } catch {
    return false;
  }
}

/**
 * Sees to it that a release takes no domain from anything else: where nobody can be asked, wrangler replaces its DNS
 * record without a word.
 * @throws Problem where the domain is in use, and the options do not say that it may be taken
 */
export async function refuseForeignDomain({ domain, replace }: ReleaseOptions): Promise<void> {
  if (domain === null || replace) return;
  const found = await lookup(domain).catch(() => null);
  if (found === null || (await isInstallation(`https://${domain}`))) return;
  throw new Problem(
    `${domain} is in use: it leads to ${found.address}, where no Gantry answers. A release would replace its DNS record.\nChoose another name, or add --replace if it may be taken.`,
  );
}
