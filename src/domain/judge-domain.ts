import { hostKind } from "#contract/addresses/host-kind.ts";
import type {
  CertificateState,
  DomainAddress,
  DomainCheck,
  DomainLookup,
  DomainState,
} from "#contract/endpoints/domains/schemas.ts";

/** How many addresses a message names. */
const MOST_NAMED = 3;

/** Where visitors should arrive. `ips`: at least one. `isBalanced`: at balancers, and not at the servers of the project. */
export type Arrival = { readonly ips: readonly string[]; readonly isBalanced: boolean };

/**
 * Whether a host name leads to where visitors should arrive, and what to do.
 * @param found by the agent that was asked; null if it did not answer about this name
 */
export function judgeDomain(domain: string, found: DomainLookup | null, arrival: Arrival): DomainCheck {
  const [serverIp = ""] = arrival.ips;
  const addresses = (found?.addresses ?? []).map(({ address, is_server }) => ({
    address,
    is_server: is_server || arrival.ips.includes(address),
  }));
  const certificate = found?.certificate ?? null;
  const state = stateOf(found?.lookup ?? "unanswered", addresses);
  const lack = lackOf(addresses, serverIp);
  const lacksRecord = state !== "private" && state !== "unknown" && lack !== null;
  const sentences = [
    describe(domain, state, addresses, { serverIp, where: nameOf(arrival) }),
    ...(state === "here" ? certificateText(certificate) : []),
    ...(state === "here" && lack !== null ? [`${lack}: create ${recordText(domain, serverIp)}`] : []),
  ];
  return {
    domain,
    state,
    addresses,
    certificate,
    message: sentences.join(" "),
    record: lacksRecord ? { name: domain, type: "A", value: serverIp } : null,
  };
}

function nameOf({ ips, isBalanced }: Arrival): string {
  const one = isBalanced ? "balancer" : "server";
  return ips.length === 1 ? `the ${one}` : `the ${one}s`;
}

function stateOf(lookup: DomainLookup["lookup"], addresses: readonly DomainAddress[]): DomainState {
  if (lookup === "private") return "private";
  if (lookup === "unanswered") return "unknown";
  if (addresses.length === 0) return "no_address";
  const own = addresses.filter(({ is_server }) => is_server).length;
  if (own === 0) return "elsewhere";
  return own === addresses.length ? "here" : "partly";
}

/** Who does not reach the server at these addresses; null: nobody. */
function lackOf(addresses: readonly DomainAddress[], serverIp: string): string | null {
  const ipv4 = addresses.filter(({ address, is_server }) => is_server && !address.includes(":"));
  if (ipv4.length === 0) return "Visitors without IPv6 do not reach it";
  const isPublic = hostKind(serverIp) === "address";
  const isInside = isPublic && ipv4.every(({ address }) => hostKind(address) === "private");
  return isInside ? "Only the private network of the server reaches it" : null;
}

function describe(
  domain: string,
  state: DomainState,
  addresses: readonly DomainAddress[],
  { serverIp, where }: { readonly serverIp: string; readonly where: string },
): string {
  const others = addresses.filter(({ is_server }) => !is_server).map(({ address }) => address);
  const are = others.length === 1 ? `is not ${where}` : `are not ${where}`;
  switch (state) {
    case "here":
      return `${domain} leads to ${where}.`;
    case "partly":
      return `${domain} leads to ${where}, and also to ${list(others)}, which ${are}. Remove the other DNS records: some visitors, and the issuer of certificates, may follow them.`;
    case "elsewhere":
      return `${domain} leads to ${list(others)}, which ${are}. This is right if a CDN or a proxy is there that passes the requests on to ${serverIp}. Otherwise remove the DNS records, and create ${recordText(domain, serverIp)}`;
    case "no_address":
      return `${domain} has no address. Create ${recordText(domain, serverIp)}`;
    case "private":
      return `${domain} is a name of private networks, which public DNS does not know. Nothing needs to be done if your clients know its address.`;
    case "unknown":
      return `The server's name servers did not answer about ${domain}. Check again in a minute. If this stays, a name server of the domain does not work, or the server's DNS does not: resolvectl query ${domain}`;
  }
}

function recordText(domain: string, serverIp: string): string {
  return `the DNS record ${domain}. A ${serverIp}`;
}

function certificateText(certificate: CertificateState | null): readonly string[] {
  switch (certificate) {
    case "missing":
      return [
        "The server has no certificate for it yet: it obtains one when the project is live, if port 80 is open.",
      ];
    case "late":
      return ["Its certificate expires soon, and could not be renewed: journalctl -u gantry-ingress"];
    case "unknown":
      return ["Its certificate could not be checked, because the ingress does not answer."];
    case "valid":
    case null:
      return [];
  }
}

function list(addresses: readonly string[]): string {
  const named = addresses.slice(0, MOST_NAMED).join(", ");
  const rest = addresses.length - MOST_NAMED;
  return rest > 0 ? `${named} and ${rest} more` : named;
}
