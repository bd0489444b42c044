import { matchesType } from "#contract/endpoints/events/patterns.ts";
import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { isWithin } from "#domain/token-grant.ts";

/** Which events a webhook gets. `projectIds`: null: events of all projects and of the account. */
export type EventInterest = {
  readonly events: readonly string[];
  readonly projectIds: readonly ProjectId[] | null;
};

/** Whether a webhook with this interest gets the event. */
export function matches({ events, projectIds }: EventInterest, event: Event): boolean {
  if (!matchesType(events, event.type)) return false;
  const projectId = projectOf(event);
  return isWithin(projectIds, projectId === null ? null : [projectId]);
}

/** The project that the event is about; null: none. */
export function projectOf({ data }: Event): ProjectId | null {
  return "project" in data ? (data.project?.id ?? null) : null;
}
