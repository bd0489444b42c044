import type { RunEventsAnswer } from "#contract/agent-events.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { type CommitResolved, decideCommitResolved } from "#domain/lane/decide-commit-resolved.ts";
import {
  decideProjectRemoved,
  decideServerDeleted,
  type ProjectRemoved,
} from "#domain/lane/decide-project-removed.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { type AgentHello, reconcile, type Reconciliation } from "#domain/lane/reconcile.ts";
import type { RunEventsCommand } from "#worker/objects/project-lane/lane-commands.ts";
import type { LaneTurns } from "#worker/objects/project-lane/lane-turns.ts";

// What agents report to a lane. A lane without an owner stores nothing: an agent can name any project, so such a report
// gets the answer for a run that has ended.

export function reportRunEvents(turns: LaneTurns, command: RunEventsCommand): Result<RunEventsAnswer, never> {
  const owner = turns.owner();
  const last = command.events.at(-1);
  if (owner === null) return succeed({ acked_seq: last?.seq ?? 0, instruction: "ended" });
  const decided = turns.decide(
    owner,
    (lane, now) => succeed(decideRunEvents(lane, command, now)),
    ({ lane }) => {
      // A result that arrives after the lane's own verdict may leave the server with another release than the live one.
      if (last?.type !== "result") return;
      const found = { serverId: command.serverId, report: last.project };
      turns.parts.outbox.noteReported(found, checkServing(lane, found).kind !== "right");
    },
    // The end of a run is written at once, its progress soon.
    ({ value: { instruction } }) => (instruction === "ended" ? "now" : "merged"),
  );
  return decided.ok ? succeed(decided.value.value) : decided;
}

export function compareServing(turns: LaneTurns, serverId: ServerId, report: ProjectReport): Reconciliation {
  if (turns.owner() === null) return { serving: null };
  const { store, outbox } = turns.parts;
  const found = { serverId, report };
  const serving = checkServing(store.load(), found);
  outbox.noteReported(found, serving.kind === "later");
  return { serving };
}

export function reconcileWithAgent(turns: LaneTurns, hello: AgentHello): Reconciliation {
  const owner = turns.owner();
  if (owner === null) return { serving: null };
  const { serverId, report } = hello;
  const decided = turns.decide(
    owner,
    (lane, now) => succeed(reconcile(lane, hello, now)),
    ({ value: { serving } }) => {
      if (serving !== null && report !== null)
        turns.parts.outbox.noteReported({ serverId, report }, serving.kind === "later");
    },
  );
  return decided.ok ? decided.value.value : { serving: null };
}

export function noteCommitResolved(turns: LaneTurns, resolved: CommitResolved): void {
  const owner = turns.owner();
  if (owner !== null) turns.decide(owner, (lane, now) => succeed(decideCommitResolved(lane, resolved, now)));
}

export function noteProjectRemoved(turns: LaneTurns, removed: ProjectRemoved): void {
  const owner = turns.owner();
  if (owner !== null) turns.decide(owner, (lane) => succeed(decideProjectRemoved(lane, removed)));
}

export function noteServerDeleted(turns: LaneTurns, serverId: ServerId): void {
  const owner = turns.owner();
  if (owner !== null) turns.decide(owner, (lane) => succeed(decideServerDeleted(lane, serverId)));
}
