import { eventEndpoints, type Events } from "#contract/endpoints/events/endpoints.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { ALL, Resource, useResource, type WatchedResource } from "#dashboard/data/resource.ts";

const POLL_MS = 5_000;

const eventApi = clientOf(eventEndpoints);

/** `type`: a pattern such as `deployment.*`. Both are empty for all events. */
export type EventFilters = { readonly type: string; readonly project_id: string };

/** A page of events, newest first. @param cursor null for the newest page */
export function listEvents({ type, project_id }: EventFilters, cursor: string | null) {
  return eventApi.listEvents({
    query: {
      ...(type === "" ? {} : { type }),
      ...(project_id === "" ? {} : { project_id }),
      ...(cursor === null ? {} : { cursor }),
    },
  });
}

/** The newest page of the events that match. */
export function useEvents(filters: EventFilters): WatchedResource<Events> {
  return useResource(
    () => new Resource(() => listEvents(filters, null), POLL_MS, { shows: "*", key: ALL }),
    `${filters.type} ${filters.project_id}`,
  );
}
