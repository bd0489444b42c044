import type { ServerState } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectHealth } from "#contract/endpoints/projects/health.ts";
import type { ProjectServer } from "#contract/endpoints/projects/servers.ts";
import { projectHealth } from "#domain/health/health-reasons.ts";
import type { MemberReading } from "#worker/db/projects/project-servers.ts";
import type {
  LiveRelease,
  ProjectServing,
  RunningRelease,
} from "#worker/db/projects/project-with-serving.ts";
import { processesState } from "#worker/views/processes-view.ts";
import { timestampOrNull } from "#worker/views/timestamp.ts";

/** What went live, and what is being deployed. */
type Releases = Pick<ProjectServing, "live" | "running">;

/** What each of several servers of a project serves, in the order of the project's setting. */
export function serverStates(
  servers: readonly ProjectServer[],
  members: readonly MemberReading[],
  releases: Releases,
): ServerState[] {
  return servers.flatMap(({ id }) => {
    const member = members.find((one) => one.id === id);
    return member === undefined ? [] : [serverState(member, releases)];
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

function serverState(member: MemberReading, releases: Releases): ServerState {
  const isConnected = member.isConnected === 1;
  return {
    id: member.id,
    name: member.name,
    status: statusOf(member, releases, isConnected),
    version: versionOf(member, releases),
    checked_at: timestampOrNull(member.confirmedAt ?? member.checkedAt),
    url: member.url,
    processes_state: processesState(member.processes),
    ingress_problem: member.ingressProblem,
    health: projectHealth(member.health, isConnected),
    deploy_key: member.deployKey,
  };
}

function statusOf(member: MemberReading, releases: Releases, isConnected: boolean): ServerState["status"] {
  const isReported = isConnected && member.checkedAt !== null;
  if (servesLive(member, releases.live)) return isReported ? "live" : "unknown";
  if (servesRunning(member, releases.running)) return isReported ? "ahead" : "unknown";
  if (releases.live === null) return "none";
  return isReported ? "behind" : "unknown";
}

/** A release folder has the number of the version that built it. Later versions can have put it live again. */
function versionOf(member: MemberReading, { live, running }: Releases): number | null {
  if (live !== null && servesLive(member, live)) return live.version;
  return running !== null && servesRunning(member, running) ? running.version : member.release;
}

/** Whether a server has reported the release that the live deployment has put live there. */
function servesLive({ id, release }: MemberReading, live: LiveRelease | null): boolean {
  return live !== null && release !== null && release === releaseOn(id, live);
}

/** Whether a server has switched to a deployment that other servers get next. */
function servesRunning({ id, release }: MemberReading, running: RunningRelease | null): boolean {
  const own = running?.runs.filter((run) => run.server_id === id && run.purpose === "deploy") ?? [];
  return release !== null && own.some((run) => run.status === "switched" && run.release === release);
}

/** The release that the live deployment has put live on a server; null: none. */
function releaseOn(id: ServerState["id"], { release, runs }: LiveRelease): number | null {
  if (runs.length === 0) return release;
  return runs.findLast((run) => run.server_id === id && run.status === "switched")?.release ?? null;
}
