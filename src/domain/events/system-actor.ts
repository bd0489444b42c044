import type { EventActor } from "#contract/endpoints/events/schemas.ts";

/** The actor of what Gantry does by itself, such as the end of a deployment whose deadline has passed. */
export const SYSTEM: EventActor = { type: "system", id: null, name: "Gantry" };
