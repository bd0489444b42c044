import type { ToAgent } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { decideServerDeleted } from "#domain/lane/decide-project-removed.ts";
import {
  pendingRemovals,
  noteRemovalSent,
  pendingMessage,
  noteSent,
  noteUndelivered,
} from "#domain/lane/pending-messages.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/** How the lane records a message: `sent` before it goes out, `undelivered` if the agent was not connected. */
type Records = { readonly sent: (lane: Lane) => Lane; readonly undelivered: (lane: Lane) => Lane };

/**
 * Sends the pending offer or stop, and `remove_project` to the servers that must remove the project. Each message is
 * recorded before it goes out; if the agent was not connected, only this send is taken back. A server that serves the
 * wrong release gets a correction; if it is not connected, its next hello reports the release again.
 */
export async function sendPendingMessages({ env, storage, store, outbox, now }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { projectId } = owner;
  const change = (decide: (lane: Lane) => Lane) =>
    storage.transactionSync(() => store.save(decide(store.load()), owner));

  async function deliver(serverId: ServerId, message: ToAgent, { sent, undelivered }: Records) {
    change(sent);
    const { delivered, gone } = await env.AGENT_LINK.getByName(serverId).deliver(projectId, message);
    if (!delivered) change(undelivered);
    if (gone) change((lane) => decideServerDeleted(lane, serverId).lane);
  }

  const pending = pendingMessage(store.load(), projectId, now());
  if (pending !== null)
    await deliver(pending.serverId, pending.message, {
      sent: (lane) => noteSent(lane, pending.deploymentId, now()),
      undelivered: (lane) => noteUndelivered(lane, pending.deploymentId, now()),
    });
  for (const { serverId, message } of pendingRemovals(store.load(), projectId, now()))
    await deliver(serverId, message, {
      sent: (lane) => noteRemovalSent(lane, serverId, false, now()),
      undelivered: (lane) => noteRemovalSent(lane, serverId, true, now()),
    });
  for (const found of outbox.corrections()) {
    const serving = checkServing(store.load(), found);
    if (serving.kind === "later") continue;
    if (serving.kind === "correct_release")
      await env.AGENT_LINK.getByName(found.serverId).deliver(projectId, {
        type: "correct_release",
        project_id: projectId,
        release: serving.release,
      });
    storage.transactionSync(() => outbox.noteCorrected(found));
  }
}
