import type { SealedFor } from "#contract/artifact.ts";
import { RunOrder, type RunVariables, type SealedToken } from "#contract/agent-order.ts";
import type { ToAgent } from "#contract/agent-protocol.ts";
import type { AccountId, ServerId } from "#contract/ids.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { type CommitRequest, commitRequests, noteCommitRequest } from "#domain/lane/commit-requests.ts";
import { decideServerDeleted } from "#domain/lane/decide-project-removed.ts";
import {
  decideUndelivered,
  pendingRemovals,
  noteRemovalSent,
  type PendingMessage,
  pendingMessage,
  runsToTell,
  noteSent,
} from "#domain/lane/pending-messages.ts";
import type { Lane, Run } from "#domain/lane/lane.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { DatabaseSession } from "#worker/db/database-session.ts";
import { findTakers } from "#worker/db/variables/artifact-servers.ts";
import { findRepositoryToken, findRunVariables } from "#worker/db/variables/run-variables.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";
import { saveEffect } from "#worker/objects/project-lane/save-effect.ts";

/** The most requests to resolve a commit in one run. Each may read D1. The alarm starts the next one. */
const MAX_REQUESTS = 5;

/**
 * The most messages in one turn: each is a call of a link. The free plan allows an invocation 50 calls, and a turn also reads
 * and writes D1 and R2. The alarm, a second later, sends the rest.
 */
const MAX_MESSAGES = 30;

/** How the lane records a message: `sent` before it goes out, `undelivered` if the agent was not connected. */
type Records = { readonly sent: (lane: Lane) => Lane; readonly undelivered: (lane: Lane) => Decision };

/**
 * Sends the pending offers or stops, `remove_project` to the servers that must remove the project, and requests to resolve
 * the commits that need an approval. Each message is recorded before it goes out; if the agent was not connected, only
 * this send is taken back. A server that serves the wrong release gets a correction; if it is not connected, its next
 * hello reports the release again.
 */
export async function sendPendingMessages(parts: LaneContext): Promise<void> {
  const { env, storage, store, outbox, now } = parts;
  const owner = store.owner();
  if (owner === null) return;
  const { accountId, projectId } = owner;
  const apply = (decide: (lane: Lane) => Decision) =>
    storage.transactionSync(() => {
      const { lane, effects } = decide(store.load());
      store.save(lane, owner);
      for (const effect of effects) saveEffect(parts, effect, now());
    });
  const change = (changed: (lane: Lane) => Lane) => apply((lane) => withoutEffects(changed(lane)));

  async function deliver(serverId: ServerId, message: ToAgent, { sent, undelivered }: Records) {
    change(sent);
    const { delivered, gone } = await env.AGENT_LINK.getByName(serverId).deliver(projectId, message);
    if (!delivered) apply(undelivered);
    if (gone) change((lane) => decideServerDeleted(lane, serverId).lane);
  }

  let left = MAX_MESSAGES;
  /** The messages among these that this turn sends. */
  function take<Message>(due: readonly Message[]): readonly Message[] {
    const taken = due.slice(0, left);
    left -= taken.length;
    return taken;
  }

  const runs = take(runsToTell(store.load(), now()));
  const servers = runs.map(({ serverId }) => serverId);
  const variablesOf = variablesReader(parts, owner, servers);

  try {
    // A server whose link fails does not keep the others waiting.
    const sent = await Promise.allSettled([...runs.map(sendToRun), sendPermits()]);
    const failed = sent.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  } finally {
    // Also if the variables cannot be read: these messages do not need them.
    await sendRemovals();
    await sendCorrections();
    // Last, because a token that cannot be read must not delay the others.
    await sendCommitRequests();
  }

  async function sendPermits() {
    const told = take([...parts.permitted]);
    const tell = async ([runId, serverId]: (typeof told)[number]) => {
      parts.permitted.delete(runId);
      const message = { type: "permit", project_id: projectId, run_id: runId } as const;
      await env.AGENT_LINK.getByName(serverId).deliver(projectId, message);
    };
    await Promise.all(told.map(tell));
  }

  async function sendToRun({ id: runId }: Run) {
    const find = () => pendingMessage(store.load(), runId, projectId, now());
    const asked = find();
    const [values, keys] = await Promise.all([variablesOf(asked), readSealKeys(parts, accountId, asked)]);
    // Read in the same turn as it is recorded: the lane may have changed in the meantime.
    const pending = withSealKeys(withVariables(find(), values), keys);
    if (pending === null) return;
    await deliver(pending.serverId, pending.message, {
      sent: (lane) => noteSent(lane, runId, now()),
      undelivered: (lane) => decideUndelivered(lane, runId, now()),
    });
  }

  async function sendCommitRequests() {
    const due = commitRequests(store.load(), projectId, now()).slice(0, MAX_REQUESTS);
    for (const { deploymentId } of take(due)) {
      const find = () =>
        commitRequests(store.load(), projectId, now()).find((one) => one.deploymentId === deploymentId);
      const before = find();
      const token = before === undefined ? null : await readToken(parts, { accountId, projectId }, before);
      // Read in the same turn as it is recorded, as above.
      const request = find();
      if (request === undefined || request.message.source.repository !== before?.message.source.repository)
        continue;
      const message = { ...request.message, ...(token === null ? {} : { token }) };
      await deliver(request.serverId, message, {
        sent: (lane) => noteCommitRequest(lane, deploymentId, false, now()),
        undelivered: (lane) => withoutEffects(noteCommitRequest(lane, deploymentId, true, now())),
      });
    }
  }

  async function sendRemovals() {
    for (const { serverId, message } of take(pendingRemovals(store.load(), projectId, now())))
      await deliver(serverId, message, {
        sent: (lane) => noteRemovalSent(lane, serverId, false, now()),
        undelivered: (lane) => withoutEffects(noteRemovalSent(lane, serverId, true, now())),
      });
  }

  async function sendCorrections() {
    for (const found of outbox.corrections()) {
      const serving = checkServing(store.load(), found);
      if (serving.kind === "later") continue;
      if (serving.kind === "correct_release") {
        if (take([found]).length === 0) return;
        await env.AGENT_LINK.getByName(found.serverId).deliver(projectId, {
          type: "correct_release",
          project_id: projectId,
          release: serving.release,
        });
      }
      storage.transactionSync(() => outbox.noteCorrected(found));
    }
  }
}

const withoutEffects = (lane: Lane): Decision => ({ lane, effects: [] });

/**
 * Reads the variables of orders, which only D1 has. Orders with the same variables take one read.
 * @param serverIds the servers that may get one of the orders
 * @returns a read; null: no order, or none with variables. It throws if D1 does not answer
 */
function variablesReader({ env }: LaneContext, owner: LaneOwner, serverIds: readonly ServerId[]) {
  const { accountId, projectId } = owner;
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, accountId);
  const reads = new Map<string, Promise<ReadonlyMap<ServerId, RunVariables>>>();
  return async (pending: PendingMessage | null): Promise<RunVariables | null> => {
    if (pending === null || pending.variables === null || pending.message.type !== "run") return null;
    const { serverId, variables, message } = pending;
    const { repository } = message.order.source;
    const key = JSON.stringify([variables, repository]);
    const read = reads.get(key) ?? findRunVariables(rows, projectId, serverIds, variables, repository);
    reads.set(key, read);
    return (await read).get(serverId) ?? null;
  };
}

/** The repository's token for a request, which only D1 has; null: it needs none. @throws if D1 does not answer */
async function readToken(
  { env }: LaneContext,
  { accountId, projectId }: LaneOwner,
  { serverId, variables, message: { source } }: CommitRequest,
): Promise<SealedToken | null> {
  if (variables === null) return null;
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const rows = new AccountRows(database, accountId);
  return await findRepositoryToken(rows, projectId, serverId, variables, source.repository);
}

/** The seal keys of the servers for which the order makes a build. A server without a key cannot take it. @throws if D1 does not answer */
async function readSealKeys(
  { env }: LaneContext,
  accountId: AccountId,
  pending: PendingMessage | null,
): Promise<readonly SealedFor[]> {
  if (pending === null || pending.sealFor.length === 0) return [];
  const { database } = new DatabaseSession(env.DB, "first-primary");
  const takers = await findTakers(new AccountRows(database, accountId), pending.sealFor);
  return takers.flatMap(({ serverId: server_id, sealKey: seal_key }) =>
    seal_key === null ? [] : [{ server_id, seal_key }],
  );
}

/** Adds the seal keys to an order that makes a build. */
function withSealKeys(pending: PendingMessage | null, keys: readonly SealedFor[]): PendingMessage | null {
  if (pending === null || pending.message.type !== "run") return pending;
  const { order } = pending.message;
  if (order.artifact?.type !== "make") return pending;
  const artifact = { ...order.artifact, for: [...keys] };
  return { ...pending, message: { type: "run", order: RunOrder.parse({ ...order, artifact }) } };
}

/** Adds the values to an order. null: the order got variables while others were read, and the change that caused this sends it. */
function withVariables(
  pending: PendingMessage | null,
  variables: RunVariables | null,
): PendingMessage | null {
  if (pending === null || pending.variables === null || pending.message.type !== "run") return pending;
  if (variables === null) return null;
  const order = RunOrder.parse({ ...pending.message.order, variables });
  return { ...pending, message: { type: "run", order } };
}
