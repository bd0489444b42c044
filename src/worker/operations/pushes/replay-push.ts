import type { ReplayedPushes } from "#contract/endpoints/hooks/schemas.ts";
import type { HookId, PushId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { auditWrites } from "#worker/db/changes/change-writes.ts";
import { findHook } from "#worker/db/hooks/hook-records.ts";
import { findProjectsOf, findPushedProject } from "#worker/db/pushes/find-pushed-projects.ts";
import { findPush, pushWrites } from "#worker/db/pushes/push-records.ts";
import { personBehind, requestEntry } from "#worker/operations/changes/request-changes.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { askForRepositories } from "#worker/operations/pushes/ask-for-repositories.ts";
import {
  type Arrival,
  isUnavailable,
  rowsOfCaller,
  decidePushes,
} from "#worker/operations/pushes/decide-pushes.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { pushView } from "#worker/views/hook-view.ts";

/**
 * Decides about a push again, by the projects' current settings: for the project of its row, or for all projects of the
 * repository if the row has none.
 */
export async function replayPush(
  context: Context,
  hookId: HookId,
  id: PushId,
): Promise<Result<ReplayedPushes, "not_found" | "not_replayable" | "unavailable">> {
  const { rows, ids, clock, account } = context;
  const hook = await findHook(rows, hookId);
  if (hook === null) return notFound("hook");
  const found = await findPush(rows, hookId, id);
  if (found === null) return notFound("push");
  const { ref, before, after, headline: message, pusher, paths, projectId } = found;
  if (ref === null)
    return refuse("not_replayable", "This row is not a push: nothing can be decided about it.");
  const push = { ref, before, after, message, pusher, paths };
  const arrived = { hookId, bodyHash: null, pushes: [push] };
  const projects =
    projectId === null
      ? await findProjectsOf(rows, hook.repositoryKey, arrived)
      : [(await findPushedProject(rows, projectId, hook.repositoryKey, arrived)) ?? []].flat();
  const unsigned = { event: null, deliveryId: null, bodyHash: null };
  const arrival: Arrival = {
    accountId: account.id,
    origin: { hookId, source: "replay", receivedAt: clock.now(), ...unsigned },
    repository: hook.repository,
    newRowId: () => ids.push(),
    // A retry with the same idempotency key creates the same ids.
    repeated: "same_row",
    trigger: "push",
    actorOf: () => actorOf(context),
    person: personBehind(context),
    requestKeyOf: () => context.requestKey,
    auditOf: () => null,
  };
  const asked = await askForRepositories(context, projects);
  const taken = await decidePushes(context, arrival, asked, [push]);
  // No audit entry, so that a retry of the request decides again. What was started is not started twice.
  if (taken.some(isUnavailable))
    return refuse("unavailable", "Some deployments could not be started at this time. Try again.");
  const target = { type: "push", id, name: ref } as const;
  const entry = requestEntry(context, { target, projectId });
  await rows.runTogether([...pushWrites(rows, rowsOfCaller(taken)), ...auditWrites(rows, [entry])]);
  return succeed({ pushes: taken.map(({ row }) => pushView(row)) });
}
