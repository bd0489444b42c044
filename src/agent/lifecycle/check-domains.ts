import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

import type { AgentContext } from "#agent/context/context.ts";
import { isPrivateName } from "#agent/ingress/caddy/certificates.ts";
import { type DomainLookup, MAX_ADDRESSES } from "#contract/endpoints/domains/schemas.ts";
import { hasCode } from "#node/has-code.ts";

/** How long one name server has for one try. */
const TRY_MS = 2_000;
const TRIES = 2;

type Found = Pick<DomainLookup, "lookup" | "addresses">;

/**
 * Looks up where host names lead, and whether the server has their certificates. Asks the system's name servers, and
 * not `/etc/hosts`, which visitors do not have.
 */
export async function checkDomains(
  { settings, ingress }: Pick<AgentContext, "settings" | "ingress">,
  domains: readonly string[],
  stopped: AbortSignal,
): Promise<readonly DomainLookup[]> {
  const { nameServerMs, nameServerPort } = settings;
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (nameServerPort !== 0) resolver.setServers([`127.0.0.1:${nameServerPort}`]);
  const own = ownAddresses();
  const cancel = (): void => resolver.cancel();
  const late = setTimeout(cancel, nameServerMs);
  stopped.addEventListener("abort", cancel);
  try {
    return await Promise.all(
      domains.map(async (domain) => {
        const [found, certificate] = await Promise.all([
          lookUp(resolver, own, domain),
          ingress.readCertificate(domain),
        ]);
        return { domain, ...found, certificate };
      }),
    );
  } finally {
    clearTimeout(late);
    stopped.removeEventListener("abort", cancel);
  }
}

async function lookUp(resolver: Resolver, own: ReadonlySet<string>, domain: string): Promise<Found> {
  if (isIP(domain) !== 0) return { lookup: "answered", addresses: describeAddresses([domain], own) };
  if (isPrivateName(domain)) return { lookup: "private", addresses: [] };
  const [ipv4, ipv6] = await Promise.all([
    orUnanswered(resolver.resolve4(domain)),
    orUnanswered(resolver.resolve6(domain)),
  ]);
  const addresses = describeAddresses([...(ipv4 ?? []), ...(ipv6 ?? [])], own);
  // If one of the answers is missing, the name may have an address after all.
  const isAnswered = addresses.length > 0 || (ipv4 !== null && ipv6 !== null);
  return { lookup: isAnswered ? "answered" : "unanswered", addresses };
}

/** @returns the addresses, none if the name does not exist or has none; null without a usable answer */
async function orUnanswered(answer: Promise<readonly string[]>): Promise<readonly string[] | null> {
  try {
    return await answer;
  } catch (error) {
    return hasCode(error, "ENOTFOUND", "ENODATA") ? [] : null;
  }
}

/** In a fixed order, because name servers rotate theirs. */
function describeAddresses(answers: readonly string[], own: ReadonlySet<string>): DomainLookup["addresses"] {
  const addresses = [...new Set(answers.map(oneForm))];
  return addresses
    .toSorted()
    .slice(0, MAX_ADDRESSES)
    .map((address) => ({ address, is_server: own.has(address) }));
}

/** The addresses of the network interfaces, except loopback. */
function ownAddresses(): ReadonlySet<string> {
  try {
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return new Set(all.filter(({ internal }) => !internal).map(({ address }) => oneForm(address)));
  } catch {
    // A sandbox may hide them. The control plane knows the server's address too.
    return new Set();
  }
}

/** An IPv6 address can be written in several ways. */
function oneForm(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
