import type { RunOrder } from "#contract/agent-order.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";

/** Lines of output, as one event. */
export function output(...messages: string[]) {
  const line = { time: new Date().toISOString(), stream: "stdout", stage: "build" } as const;
  return { type: "output" as const, lines: messages.map((message) => ({ ...line, message })) };
}

/** The report of a project that has no release on the server. */
export function emptyReport(order: RunOrder): ProjectReport {
  return { project_id: order.project_id, release: null, releases: [], url: null };
}
