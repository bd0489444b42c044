import type { ToAgent } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { decideServerGone } from "#domain/lane/decide-project-removed.ts";
import { dueForgets, noteForgetTold } from "#domain/lane/pending-removals.ts";
import { dueMessage, noteTold, noteUntold } from "#domain/lane/pending-message.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { LaneParts } from "#worker/objects/project-lane/lane-context.ts";

/** What is noted of a message: that it goes out, before it does, and that nobody was there to take it. */
type Notes = { readonly told: (lane: Lane) => Lane; readonly untold: (lane: Lane) => Lane };

/**
 * The agent gets the offer or the stop that it has not had yet, and the servers that must let go of the project are
 * told so. Each message is noted before it goes out; where nobody was there, that attempt alone is taken back. A server that
 * serves what it should not is told what to restore; where nobody is there, its next hello says it again.
 */
export async function tellAgents({ env, storage, store, outbox, now }: LaneParts): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { projectId } = owner;
  const change = (decide: (lane: Lane) => Lane) =>
    storage.transactionSync(() => store.save(decide(store.load()), owner));

  async function deliver(serverId: ServerId, message: ToAgent, { told, untold }: Notes) {
    change(told);
    const { delivered, gone } = await env.AGENT_LINK.getByName(serverId).deliver(projectId, message);
    if (!delivered) change(untold);
    if (gone) change((lane) => decideServerGone(lane, serverId).lane);
  }

  const due = dueMessage(store.load(), projectId, now());
  if (due !== null)
    await deliver(due.serverId, due.message, {
      told: (lane) => noteTold(lane, due.deploymentId, now()),
      untold: (lane) => noteUntold(lane, due.deploymentId, now()),
    });
  for (const { serverId, message } of dueForgets(store.load(), projectId, now()))
    await deliver(serverId, message, {
      told: (lane) => noteForgetTold(lane, serverId, false, now()),
      untold: (lane) => noteForgetTold(lane, serverId, true, now()),
    });
  for (const found of outbox.restores()) {
    const serving = checkServing(store.load(), found);
    if (serving.kind === "later") continue;
    if (serving.kind === "restore")
      await env.AGENT_LINK.getByName(found.serverId).deliver(projectId, {
        type: "restore",
        project_id: projectId,
        release: serving.release,
      });
    storage.transactionSync(() => outbox.noteRestored(found));
  }
}
