import { eq } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, servers } from "#worker/db/schema.ts";

const columns = {
  id: servers.id,
  name: servers.name,
  ip: servers.ip,
  createdAt: servers.createdAt,
  enrolledAt: servers.enrolledAt,
  firstConnectedAt: servers.firstConnectedAt,
  connectedAt: servers.connectedAt,
  lastSeenAt: servers.lastSeenAt,
  connectedMsByDay: servers.connectedMsByDay,
  agentVersion: servers.agentVersion,
  agentMismatch: servers.agentMismatch,
  diskTotalBytes: servers.diskTotalBytes,
  diskFreeBytes: servers.diskFreeBytes,
  diskCacheBytes: servers.diskCacheBytes,
  sealKey: servers.sealKey,
  isolation: servers.isolation,
  policy: servers.policy,
  tools: servers.tools,
  ingressProblem: servers.ingressProblem,
  region: servers.region,
  detectedRegion: servers.detectedRegion,
  takenOverAt: servers.takenOverAt,
};

/** A server without its secrets' hashes, and how many projects it hosts. Times are Unix milliseconds. */
export type ServerReading = Pick<typeof servers.$inferSelect, keyof typeof columns> & {
  readonly apps: number;
};

/** The fields of a ServerReading. */
export function serverFields(rows: AccountRows) {
  return { ...columns, apps: rows.count(projects, eq(projects.serverId, servers.id)) };
}
