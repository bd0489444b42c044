import { randomUUID } from "node:crypto";

import type { AgentContext } from "#agent/context/context.ts";
import { killMarkedProcesses } from "#build/process/process-table.ts";

type OfServer = Pick<AgentContext, "connection">;

/** The start of the markers of all processes that read repositories for this server outside of a run. */
const prefixOf = ({ connection }: OfServer) => `reading-${connection.server_id}-`;

/** A new marker for the processes of one reading outside of a run. No journal has them. */
export function readingMarker(context: OfServer, kind: "watch" | "resolve" | "test"): string {
  return `${prefixOf(context)}${kind}-${randomUUID()}`;
}

/** Ends what an agent that was killed left reading: a host that never answers would keep its git for ever. */
export async function endLeftReadings(context: OfServer): Promise<void> {
  const prefix = prefixOf(context);
  await killMarkedProcesses((marker) => marker.startsWith(prefix));
}
