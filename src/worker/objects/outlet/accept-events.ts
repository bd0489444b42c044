import type { Event } from "#contract/endpoints/events/schemas.ts";
import { nextRequest } from "#domain/notify/next-request.ts";
import { outcomeOf } from "#domain/notify/outcomes.ts";
import type { OutletMemory } from "#domain/outlet/outgoing-request.ts";
import { aboutProjects } from "#domain/outlet/selection.ts";
import { isWithin } from "#domain/token-grant.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import type { StoredTarget } from "#worker/objects/outlet/outlet-record.ts";

/** Saves a delivery for each event that its kind sends. Events that were taken before are skipped. Call it in a transaction. */
export function acceptEvents(context: OutletContext, target: StoredTarget, events: readonly Event[]): void {
  const { record, deliveries, now } = context;
  const isDisabled = record.state().disabled !== null;
  const { projectIds } = record.selection();
  // Only answers change it, so it is the same for all of them.
  const memory = context.memory.all();
  for (const event of events) {
    if (deliveries.has(event.id)) continue;
    const found = outcomeOf(event);
    const { sequence } = event.data;
    const outcomeBefore = found === null ? null : context.memory.outcomeBefore(found.subject, sequence);
    if (found !== null) context.memory.noteOutcome(found.subject, found.outcome, sequence);
    const request = firstRequest(memory, target, event, outcomeBefore);
    if (request === null) continue;
    const { coalesce } = request;
    const projects = aboutProjects(event, projectIds);
    // The feed may have read the webhook's projects before they changed.
    const fate =
      isDisabled || !isWithin(projectIds, projects)
        ? ({ state: "held", dueAt: null } as const)
        : ({ state: "pending", dueAt: now() } as const);
    deliveries.add({ event, projects, coalesce, outcomeBefore, ...fate });
  }
  deliveries.trimAfter(events.length, now());
}

/** null: the event is not sent. An event that no request can be made from must not stop the others. */
function firstRequest(
  memory: OutletMemory,
  { settings, origin, webhookId }: StoredTarget,
  event: Event,
  outcomeBefore: ReturnType<OutletContext["memory"]["outcomeBefore"]>,
) {
  try {
    return nextRequest({ event, settings, origin, outcomeBefore, memory, answers: [] });
  } catch (error) {
    logFailure("outlet", { what: "take event", webhook_id: webhookId, event_id: event.id }, error);
    return null;
  }
}
