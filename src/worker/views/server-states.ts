import type { ServerState } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import type { ProjectServer } from "#contract/endpoints/projects/servers.ts";
import { projectHealth } from "#domain/health/health-reasons.ts";
import type { MemberReading } from "#worker/db/projects/project-servers.ts";
import type { LiveRelease } from "#worker/db/projects/project-with-serving.ts";
import { processesState } from "#worker/views/processes-view.ts";
import { timestampOrNull } from "#worker/views/timestamp.ts";

/** What each of several servers of a project serves, in the order of the project's setting. */
export function serverStates(
  servers: readonly ProjectServer[],
  members: readonly MemberReading[],
  live: LiveRelease | null,
): ServerState[] {
  return servers.flatMap(({ id }) => {
    const member = members.find((one) => one.id === id);
    return member === undefined ? [] : [serverState(member, live)];
  });
}

/** Whether all of a project works: it does not if something on one server does not. */
export function healthOfAll(servers: readonly Pick<ServerState, "name" | "health">[]): ProjectHealth {
  const states = servers.map(({ health }) => health.state);
  const worst = (["degraded", "unknown"] as const).find((state) => states.includes(state)) ?? "ok";
  const reasons = servers.flatMap(({ name, health }) =>
    health.reasons.map((reason) => ({ ...reason, summary: `${reason.summary} on ${name}` })),
  );
  return { state: worst, reasons };
}

function serverState(member: MemberReading, live: LiveRelease | null): ServerState {
  const isConnected = member.isConnected === 1;
  return {
    id: member.id,
    name: member.name,
    status: statusOf(member, live, isConnected),
    version: versionOf(member, live),
    checked_at: timestampOrNull(member.confirmedAt ?? member.checkedAt),
    url: member.url,
    processes_state: processesState(member.processes),
    ingress_problem: member.ingressProblem,
    health: projectHealth(member.health, isConnected),
    deploy_key: member.deployKey,
  };
}

function statusOf(
  { id, release, checkedAt }: MemberReading,
  live: LiveRelease | null,
  isConnected: boolean,
): ServerState["status"] {
  if (live === null) return "none";
  if (!isConnected || checkedAt === null) return "unknown";
  return release !== null && release === releaseOn(id, live) ? "live" : "behind";
}

/** A release folder has the number of the version that built it. Later versions can have put it live again. */
function versionOf({ id, release }: MemberReading, live: LiveRelease | null): number | null {
  return live !== null && release === releaseOn(id, live) ? live.version : release;
}

/** The release that the live deployment has put live on a server; null: none. */
function releaseOn(id: ServerState["id"], { release, runs }: LiveRelease): number | null {
  if (runs.length === 0) return release;
  return runs.findLast((run) => run.server_id === id && run.status === "switched")?.release ?? null;
}
