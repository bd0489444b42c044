import type { ToAgent } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { decideServerDeleted } from "#domain/lane/decide-project-removed.ts";
import { pendingRemovals, noteRemovalSent } from "#domain/lane/pending-removals.ts";
import { pendingMessage, noteSent, noteUndelivered } from "#domain/lane/pending-message.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/** What is noted of a message: that it goes out, before it does, and that nobody was there to take it. */
type Notes = { readonly told: (lane: Lane) => Lane; readonly untold: (lane: Lane) => Lane };

/**
 * The agent gets the offer or the stop that it has not had yet, and the servers that must let go of the project are
 * told so. Each message is noted before it goes out; where nobody was there, that attempt alone is taken back. A server that
 * serves what it should not is told what to restore; where nobody is there, its next hello says it again.
 */
export async function sendPendingMessages({ env, storage, store, outbox, now }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { projectId } = owner;
  const change = (decide: (lane: Lane) => Lane) =>
    storage.transactionSync(() => store.save(decide(store.load()), owner));

  async function deliver(serverId: ServerId, message: ToAgent, { told, untold }: Notes) {
    change(told);
    const { delivered, gone } = await env.AGENT_LINK.getByName(serverId).deliver(projectId, message);
    if (!delivered) change(untold);
    if (gone) change((lane) => decideServerDeleted(lane, serverId).lane);
  }

  const due = pendingMessage(store.load(), projectId, now());
  if (due !== null)
    await deliver(due.serverId, due.message, {
      told: (lane) => noteSent(lane, due.deploymentId, now()),
      untold: (lane) => noteUndelivered(lane, due.deploymentId, now()),
    });
  for (const { serverId, message } of pendingRemovals(store.load(), projectId, now()))
    await deliver(serverId, message, {
      told: (lane) => noteRemovalSent(lane, serverId, false, now()),
      untold: (lane) => noteRemovalSent(lane, serverId, true, now()),
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
