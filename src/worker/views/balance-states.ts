import type { Entry } from "#contract/endpoints/projects/entry.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { BalanceState } from "#contract/endpoints/projects/schemas.ts";
import { type ProjectServer, servesDomain } from "#contract/endpoints/projects/servers.ts";
import { whyUnprepared, whyUnreachable } from "#domain/fleet/fleet-state.ts";
import type { BalanceReading } from "#worker/db/projects/balance-fields.ts";

/** Whether the balancers of a project and the servers behind them do their part. Empty for another entry. */
export function balanceStates(
  projectId: ProjectId,
  { entry, servers }: { readonly entry: Entry; readonly servers: readonly ProjectServer[] },
  readings: readonly BalanceReading[],
): BalanceState[] {
  if (entry.type !== "balancer") return [];
  const members = servers.filter(servesDomain).map(({ id }) => id);
  const find = (id: BalanceReading["id"]) => readings.filter((one) => one.id === id);
  return [
    ...entry.balancers.flatMap(find).map((one) => {
      const reported = one.set?.out.find(({ project_id }) => project_id === projectId)?.out ?? [];
      // It may have taken out a server that has just left the project.
      const out = members.filter((member) => reported.includes(member));
      return { ...stateOf(one, whyUnprepared(one)), role: "balancer" as const, out };
    }),
    ...members
      .flatMap(find)
      .map((one) => ({ ...stateOf(one, whyUnreachable(one)), role: "server" as const, out: [] })),
  ];
}

function stateOf(reading: BalanceReading, lack: string | null) {
  const { id, name, isConnected, canBalance, set } = reading;
  const outdated = canBalance === 0 ? `The agent of ${name} is too old. Update it.` : null;
  const problem = outdated ?? lack ?? set?.problem ?? null;
  return { id, name, status: statusOf(problem, isConnected === 1, set), problem };
}

function statusOf(
  problem: string | null,
  isConnected: boolean,
  set: BalanceReading["set"],
): BalanceState["status"] {
  if (problem !== null) return "problem";
  if (!isConnected) return "unknown";
  return set !== null && set.done === set.sent ? "ok" : "pending";
}
