import { allowsAddress } from "#agent/policy/address-rule.ts";
import type { Policy } from "#agent/policy/policy.ts";
import { refusedBy } from "#agent/policy/refuse.ts";
import type { BalancedProject, FleetServer, FleetState, ServedProject } from "#contract/agent-fleet.ts";
import type { ServerId } from "#contract/ids.ts";

/** What the policy says about other servers. */
export type BalancePolicy = Pick<Policy, "balance" | "file">;

/** `refusals`: what the policy does not allow, as sentences. */
export type AllowedFleet = { readonly state: FleetState | null; readonly refusals: readonly string[] };

/**
 * The part of a state that the policy allows. What is refused is left out: a project that this server must not balance, members
 * to which it must send no requests, and servers to which it must not pass on the checks of an issuer of certificates.
 */
export function allowFleet(policy: BalancePolicy, state: FleetState | null): AllowedFleet {
  if (state === null || policy.balance === "any") return { state, refusals: [] };
  const known = new Map(state.servers.map((server) => [server.id, server]));
  const refusals = new Set<string>();
  const keep = (ids: readonly ServerId[], addressOf: (server: FleetServer) => string | null, what: string) =>
    ids.filter((id) => {
      const server = known.get(id);
      const address = server === undefined ? null : addressOf(server);
      if (address === null || allows(policy, address)) return true;
      refusals.add(refusal(policy, `${what} ${address}`));
      return false;
    });
  const peersOf = (ids: readonly ServerId[], name: string) =>
    keep(ids, ({ ip }) => ip, `passing on checks of certificates for ${name} to`);

  function balanced(project: BalancedProject): BalancedProject[] {
    const { domain, members, peers } = project;
    if (!Array.isArray(policy.balance)) {
      refusals.add(refusal(policy, `balancing ${domain}`));
      return [];
    }
    const allowed = keep(members, ({ address }) => address, `sending requests for ${domain} to`);
    return [{ ...project, members: allowed, peers: peersOf(peers, domain) }];
  }

  const served = (project: ServedProject): ServedProject =>
    project.entry === "each" ? { ...project, peers: peersOf(project.peers, project.project_id) } : project;

  const balances = state.balances.flatMap(balanced);
  return { state: { ...state, balances, serves: state.serves.map(served) }, refusals: [...refusals] };
}

/** Whether requests, or checks of an issuer, may go to an address. */
function allows({ balance }: BalancePolicy, address: string): boolean {
  switch (balance) {
    case "any":
    case "checks":
      return true;
    case "none":
      return false;
    default:
      return allowsAddress(balance, address);
  }
}

/** As a sentence of its own. */
function refusal(policy: BalancePolicy, what: string): string {
  const text = refusedBy(policy, "balance", what);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
