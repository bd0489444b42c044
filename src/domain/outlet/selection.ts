import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { projectOf } from "#domain/events/matches.ts";

/** The projects that a webhook is limited to, or a caller; null: all, and events that are not about a project. */
export type ProjectSelection = readonly ProjectId[] | null;

/**
 * The projects that a delivery is about; null: the whole account. A delivery may be listed, sent and resent only within a
 * selection that covers them (`isWithin`). A test is about all that the webhook selected at that time.
 */
export function aboutProjects(event: Event, selection: ProjectSelection): ProjectSelection {
  if (event.type === "webhook.test") return selection;
  const projectId = projectOf(event);
  return projectId === null ? null : [projectId];
}
