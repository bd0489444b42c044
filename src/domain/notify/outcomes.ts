import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { AttemptOutcome } from "#domain/outlet/outgoing-request.ts";

/** What an event says about the state of a project or a server. */
export type SubjectOutcome = { readonly subject: string; readonly outcome: AttemptOutcome };

/** Whether the event's project or server works or not; null: the event does not tell. */
export function outcomeOf({ type, data }: Event): SubjectOutcome | null {
  if (type === "deployment.live") return { subject: data.project.id, outcome: "live" };
  if (type === "deployment.failed") return { subject: data.project.id, outcome: "failed" };
  if (type === "server.offline") return { subject: data.server.id, outcome: "failed" };
  const isConnected = type === "server.healthy" || type === "server.degraded";
  return isConnected ? { subject: data.server.id, outcome: "live" } : null;
}

/** Whether what failed before works again. @param before the last outcome that was reported to the target */
export function isRecovery(event: Event, before: AttemptOutcome | null): boolean {
  return before === "failed" && outcomeOf(event)?.outcome === "live";
}

/**
 * Whether people get a message about an event that their webhook selects. With `only_recoveries`, a deployment that is
 * live or a server that is connected is reported only after a failure: otherwise nobody would read those about failures.
 */
export function isReported(event: Event, onlyRecoveries: boolean, before: AttemptOutcome | null): boolean {
  const isGoodNews = event.type === "deployment.live" || event.type === "server.healthy";
  return !isGoodNews || !onlyRecoveries || isRecovery(event, before);
}
