import type {
  AgentProblem,
  Disk,
  Server,
  ServerRow,
  ServerStatus,
} from "#contract/endpoints/servers/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { serverStatus } from "#domain/server-status.ts";
import { recordConnection, uptime, uptimeByDay } from "#domain/uptime.ts";
import type { ServerReading } from "#worker/db/servers/server-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";
import { agentFilePaths } from "#contract/public-paths.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

/**
 * An agent reports its status every 3 minutes. After two missed reports it counts as disconnected, even if its link
 * could not write that to D1.
 */
const STALE_MS = 7 * 60_000;

const TAKEN_OVER_SHOWN_MS = 24 * 3_600_000;

/** A row of the servers list. @param now Unix milliseconds, the end of the uptime span */
export function serverRow(stored: ServerReading, now: number): ServerRow {
  const reading = asSeen(stored, now);
  const { connectedMsByDay, connectedAt } = reading;
  return {
    id: reading.id,
    name: reading.name,
    ip: reading.ip,
    status: statusOf(reading),
    apps: reading.apps,
    uptime: uptime(connectedMsByDay, connectedAt, uptimeSince(reading), now),
  };
}

/**
 * A server with its agent's last report.
 * @param now as for serverRow
 * @param visible the projects that the reader may see; null: all
 */
export function serverView(stored: ServerReading, now: number, visible: readonly ProjectId[] | null): Server {
  const reading = asSeen(stored, now);
  const { connectedMsByDay, connectedAt } = reading;
  return {
    ...serverRow(reading, now),
    created_at: timestamp(reading.createdAt),
    enrolled_at: timestampOrNull(reading.enrolledAt),
    last_seen_at: timestampOrNull(reading.lastSeenAt),
    agent_version: reading.agentVersion,
    agent_problem: agentProblem(reading),
    disk: diskOf(reading, visible),
    isolation: reading.isolation,
    policy: reading.policy,
    uptime_days: uptimeByDay(connectedMsByDay, connectedAt, uptimeSince(reading), now),
    seal_key: reading.sealKey,
    tools: reading.tools,
    ingress_problem: reading.ingressProblem,
    region: reading.region,
    detected_region: reading.detectedRegion,
    taken_over_at: timestampOrNull(takenOverAt(reading, now)),
    draining_since: timestampOrNull(reading.drain?.since ?? null),
    address: reading.address,
    detected_address: reading.fleet?.address ?? null,
    containers: reading.containers,
  };
}

/** An agent connects for the first time some seconds after its enrolment. */
function uptimeSince({ firstConnectedAt, enrolledAt }: ServerReading): number | null {
  return firstConnectedAt ?? enrolledAt;
}

/** Treats a connection without reports for too long as ended at its last sign of life. */
function asSeen(reading: ServerReading, now: number): ServerReading {
  const { connectedAt, lastSeenAt, connectedMsByDay } = reading;
  if (connectedAt === null || lastSeenAt === null || now - lastSeenAt <= STALE_MS) return reading;
  const recorded = recordConnection(connectedMsByDay, connectedAt, lastSeenAt);
  return { ...reading, connectedAt: null, connectedMsByDay: recorded };
}

/** A second agent that was stopped, or enrolled as another server, takes over no more. */
function takenOverAt({ takenOverAt: at }: ServerReading, now: number): number | null {
  return at !== null && now - at < TAKEN_OVER_SHOWN_MS ? at : null;
}

function agentProblem({ agentMismatch }: ServerReading): AgentProblem | null {
  if (agentMismatch === null) return null;
  const { protocol, at } = agentMismatch;
  return { code: "protocol_mismatch", message: mismatchMessage(protocol), at: timestamp(at) };
}

function statusOf(reading: ServerReading): ServerStatus {
  const { connectedAt, lastSeenAt, ingressProblem } = reading;
  const connection = { isConnected: connectedAt !== null, hasBeenSeen: lastSeenAt !== null };
  return serverStatus({ ...connection, disk: diskOf(reading, []), ingressProblem });
}

function diskOf(
  { diskTotalBytes, diskFreeBytes, diskCacheBytes, diskImageBytes, diskImages }: ServerReading,
  visible: readonly ProjectId[] | null,
): Disk | null {
  if (diskTotalBytes === null || diskFreeBytes === null) return null;
  const caches = diskCacheBytes === null ? {} : { cache_bytes: diskCacheBytes };
  const images = diskImageBytes === null ? {} : { image_bytes: diskImageBytes };
  const shown = diskImages?.filter(({ project_id: id }) => visible?.includes(id) ?? true);
  const each = shown === undefined ? {} : { images: shown };
  return { total_bytes: diskTotalBytes, free_bytes: diskFreeBytes, ...caches, ...images, ...each };
}

/**
 * The message for a server whose agent speaks another protocol version than this installation.
 * @param protocol the agent's version
 */
export function mismatchMessage(protocol: number): string {
  const versions = `The agent speaks protocol ${protocol}, this installation ${PROTOCOL_VERSION}`;
  const remedy = `run this installation's ${agentFilePaths.installer} on the server`;
  return protocol < PROTOCOL_VERSION
    ? `${versions}: update the agent; ${remedy}.`
    : `${versions}: update this installation, or install its older agent; ${remedy}.`;
}
