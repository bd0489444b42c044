import { forgeNames } from "#contract/endpoints/hooks/forge-names.ts";
import { type DeliveryAnswer, MAX_DELIVERY_BYTES } from "#contract/endpoints/hooks/schemas.ts";
import type { HookId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Push } from "#domain/pushes/push.ts";
import { isAboutRepository, readDelivery } from "#domain/pushes/read-delivery.ts";
import { concatenate, sha256 } from "#sealing/bytes.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findReceivingHook, type ReceivingHook } from "#worker/db/hooks/hook-changes.ts";
import { findProjectNames } from "#worker/db/projects/list-projects.ts";
import { findProjectsOf } from "#worker/db/pushes/find-pushed-projects.ts";
import { countedWrites, pushWrites, receivedWrite } from "#worker/db/pushes/push-records.ts";
import { refuseForged } from "#worker/deliveries/check-signature.ts";
import { namesOf } from "#worker/deliveries/delivery-headers.ts";
import { readPayload } from "#worker/deliveries/read-payload.ts";
import { readBytes } from "#worker/http/read-body.ts";
import { watchChanged } from "#worker/operations/projects/watch-changed.ts";
import { type AskedProject, askForRepositories } from "#worker/operations/pushes/ask-for-repositories.ts";
import {
  deliveryAnswer,
  otherImagesAnswer,
  refusedAnswer,
  type RefusedPayload,
  unpushedAnswer,
  type UnpushedDecision,
} from "#worker/operations/pushes/delivery-answer.ts";
import { type LedgerOrigin, unpushedRow } from "#worker/operations/pushes/ledger-rows.ts";
import { noteRefusal, refuseDelivery } from "#worker/operations/pushes/refuse-delivery.ts";
import {
  type Arrival,
  isUnavailable,
  rowsOfCaller,
  decidePushes,
} from "#worker/operations/pushes/decide-pushes.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** An authentic delivery. */
type Received = { readonly hook: ReceivingHook; readonly rows: AccountRows; readonly origin: LedgerOrigin };

/**
 * Receives what a forge reports. An authentic delivery succeeds, also if it starts nothing: forges disable hooks that
 * fail, and show the answer. Takes one D1 round trip to refuse; otherwise two more, and one to the lane of each project
 * that is deployed. A project whose server has not read the repository yet costs a request to its agent, too.
 */
export async function receiveDelivery(
  context: OpenContext,
  id: HookId,
): Promise<
  Result<
    DeliveryAnswer,
    "not_found" | "invalid_signature" | "body_too_large" | "rate_limited" | "unavailable"
  >
> {
  const receivedAt = context.clock.now();
  const { headers, body: stream } = context.raw;
  const hook = await findReceivingHook(context.database, id, receivedAt);
  if (hook === null) return (await context.limitFailures()) ?? notFound("hook");
  const body = await readBytes(stream, MAX_DELIVERY_BYTES);
  if (body === null) return await refuseDelivery(context, hook, "too_large");
  const bytes = concatenate(body);
  const forged = await refuseForged(
    hook.forge,
    hook.secrets,
    { headers, body: bytes },
    Math.floor(receivedAt / 1000),
  );
  if (forged !== null) return await refuseDelivery(context, hook, forged);
  const { event, deliveryId } = namesOf(hook.forge, headers);
  const bodyHash = await sha256(bytes);
  const origin: LedgerOrigin = { hookId: id, source: "hook", receivedAt, event, deliveryId, bodyHash };
  const received = { hook, rows: new AccountRows(context.database, hook.accountId), origin };
  const payload = readPayload(hook.forge, headers.get("content-type"), bytes);
  const delivery = readDelivery(hook.forge, event ?? "", payload);
  switch (delivery.kind) {
    case "ping":
      return await noteUnpushed(context, received, { decision: "ignored", reason: "ping" });
    case "other":
      return await noteUnpushed(context, received, { decision: "ignored", reason: "not_a_push" });
    case "images": {
      const pushes = delivery.images.flatMap(({ repository, push }) =>
        isAboutRepository(hook.repositoryKey, repository) ? [push] : [],
      );
      if (pushes.length > 0) return await deploy(context, received, pushes);
      const answer = otherImagesAnswer(hook, delivery.images);
      return await noteUnpushed(context, received, { decision: "ignored", reason: "not_a_push" }, answer);
    }
    case "malformed":
      return await noteRefused(context, received, { reason: "malformed", field: delivery.field });
    case "pushes":
      if (!isAboutRepository(hook.repositoryKey, delivery.repository))
        return await noteRefused(context, received, {
          reason: "other_repository",
          seen: delivery.repository,
        });
      if (delivery.pushes.length === 0)
        return await noteUnpushed(context, received, { decision: "ignored", reason: "not_a_push" });
      return await deploy(context, received, delivery.pushes);
  }
}

/** Notes an authentic delivery that is not accepted: the hook does not work until one is. */
async function noteRefused(
  { ids, feeds }: OpenContext,
  { hook, rows, origin }: Received,
  refused: RefusedPayload,
): Promise<Result<DeliveryAnswer, never>> {
  const projectNames =
    refused.reason === "other_repository" ? await findProjectNames(rows, hook.repositoryKey) : [];
  const answer = refusedAnswer(hook, refused, projectNames);
  await noteRefusal({ rows, ids, feeds }, hook, origin, { reason: refused.reason, detail: answer.detail });
  return succeed(answer);
}

/** Notes an authentic delivery without a push. */
async function noteUnpushed(
  { ids }: OpenContext,
  { hook, rows, origin }: Received,
  decision: UnpushedDecision,
  answer = unpushedAnswer(decision),
): Promise<Result<DeliveryAnswer, never>> {
  const row = unpushedRow(ids, { ...origin, hookId: hook.id }, decision, answer.detail);
  await rows.runTogether([...countedWrites(rows, row), receivedWrite(rows, hook.id, origin.receivedAt)]);
  return succeed(answer);
}

/** Starts the deployments, and writes the rows of the ledger for pushes that started none. */
async function deploy(
  context: OpenContext,
  { hook, rows, origin }: Received,
  pushes: readonly Push[],
): Promise<Result<DeliveryAnswer, "unavailable">> {
  const { ids, request } = context;
  const { id: hookId, accountId } = hook;
  const { bodyHash } = origin;
  const projects = await findProjectsOf(rows, hook.repositoryKey, { hookId, bodyHash, pushes });
  const actorOf = ({ pusher }: Push) =>
    ({ type: "hook", id: hookId, name: `${pusher ?? "a push"}, ${forgeNames[hook.forge]}` }) as const;
  const arrival: Arrival = {
    accountId,
    origin,
    repository: hook.repository,
    newRowId: () => ids.push(),
    repeated: "duplicate",
    trigger: "push",
    actorOf,
    person: null,
    requestKeyOf: ({ ref }, projectId, before) =>
      [`hook:${hookId}:${bodyHash}:${projectId}:${ref}`, ...(before === 0 ? [] : [before])].join(":"),
    auditOf: (push, projectId) => ({
      id: ids.auditEntry(),
      projectId,
      createdAt: origin.receivedAt,
      actor: actorOf(push),
      ip: request.ip,
      requestId: request.id,
      action: request.operation,
      outcome: "done",
      code: null,
      target: null,
      changes: null,
    }),
  };
  const asked = await askForRepositories({ ...context, rows }, projects);
  const taken = await decidePushes(context, arrival, asked, pushes);
  await rows.runTogether([
    ...pushWrites(rows, rowsOfCaller(taken)),
    receivedWrite(rows, hookId, origin.receivedAt),
  ]);
  for (const { project } of oneForEachServer(asked.filter(({ unread }) => unread !== null)))
    context.defer(watchChanged(context, project));
  // So that the forge shows a failure, and may send the delivery again: what was started is not started twice.
  return taken.some(isUnavailable)
    ? refuse("unavailable", "Some deployments could not be started at this time. Send the delivery again.")
    : succeed(deliveryAnswer(taken));
}

/** The link of each server decides soon about the pushes that wait: the time here may not have been enough. */
function oneForEachServer(asked: readonly AskedProject[]): AskedProject[] {
  return [...new Map(asked.map((found) => [found.project.serverId, found])).values()];
}
