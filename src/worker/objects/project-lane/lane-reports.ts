import { DurableObject } from "cloudflare:workers";

import type { ArtifactDigest } from "#contract/artifact.ts";
import type { RunEventsAnswer } from "#contract/agent-events.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { type QuotaPart, refuseOverQuota } from "#domain/lane/artifact-quota.ts";
import { maySendBuild } from "#domain/lane/builders.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { type CommitResolved, decideCommitResolved } from "#domain/lane/decide-commit-resolved.ts";
import {
  decideProjectRemoved,
  decideServerDeleted,
  type ProjectRemoved,
} from "#domain/lane/decide-project-removed.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { activeOf } from "#domain/lane/lane.ts";
import { type AgentHello, reconcile, type Reconciliation } from "#domain/lane/reconcile.ts";
import { runOn } from "#domain/lane/runs.ts";
import { namesBuild } from "#domain/lane/stored-builds.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";
import type { RunEventsCommand } from "#worker/objects/project-lane/lane-commands.ts";
import { LaneTurns } from "#worker/objects/project-lane/lane-turns.ts";
import { inJurisdiction } from "#worker/objects/location.ts";

/**
 * What agents report to a lane. A lane without an owner stores nothing: an agent can name any project, so such a report
 * gets the answer for a run that has ended.
 */
export abstract class LaneReports extends DurableObject<Env> {
  // Not a method or a getter: those could be called from outside of the object.
  protected readonly turns: LaneTurns;

  constructor(ctx: DurableObjectState, bindings: Env) {
    const env = inJurisdiction(bindings);
    super(ctx, env);
    this.turns = new LaneTurns(ctx, env);
  }

  /** Saves what an agent reports about a run. Answers from storage, and writes to D1 afterwards. */
  async report(command: RunEventsCommand): Promise<Result<RunEventsAnswer, never>> {
    const owner = this.turns.owner();
    const last = command.events.at(-1);
    if (owner === null) return succeed({ acked_seq: last?.seq ?? 0, instruction: "ended" });
    const decided = this.turns.decide(
      owner,
      (lane, now) => succeed(decideRunEvents(lane, command, now)),
      ({ lane }) => {
        // A result that arrives after the lane's own verdict may leave the server with another release than the live one.
        if (last?.type !== "result") return;
        const found = { serverId: command.serverId, report: last.project };
        this.turns.parts.outbox.noteReported(found, checkServing(lane, found).kind !== "right");
      },
      // The end of a run is written at once, its progress soon.
      ({ value: { instruction } }) => (instruction === "ended" ? "now" : "merged"),
    );
    return decided.ok ? succeed(decided.value.value) : decided;
  }

  /** Compares the release that a server serves with the release that it should serve. For a report outside a hello. */
  async compare(serverId: ServerId, report: ProjectReport): Promise<Reconciliation> {
    if (this.turns.owner() === null) return { serving: null };
    const { store, outbox } = this.turns.parts;
    const found = { serverId, report };
    const serving = checkServing(store.load(), found);
    outbox.noteReported(found, serving.kind === "later");
    return { serving };
  }

  /** Reconciles the lane with an agent that has just connected. */
  async reconcile(hello: AgentHello): Promise<Reconciliation> {
    const owner = this.turns.owner();
    if (owner === null) return { serving: null };
    const { serverId, report } = hello;
    const decided = this.turns.decide(
      owner,
      (lane, now) => succeed(reconcile(lane, hello, now)),
      ({ value: { serving } }) => {
        if (serving !== null && report !== null)
          this.turns.parts.outbox.noteReported({ serverId, report }, serving.kind === "later");
      },
    );
    return decided.ok ? decided.value.value : { serving: null };
  }

  /**
   * Makes room for a part of a build, before it is stored. One call of R2.
   * @param sender a server, which must build for others now; null: a client, whose permission the caller has checked
   */
  async reservePart(
    projectId: ProjectId,
    sender: ServerId | null,
    part: QuotaPart,
  ): Promise<Result<null, "not_found" | "artifact_quota">> {
    const load = () => (this.turns.owner() === null ? null : this.turns.parts.store.load());
    const before = load();
    if (sender !== null && (before === null || !maySendBuild(activeOf(before), sender)))
      return refuse("not_found", "The server does not build for others.");
    const stored = await new ArtifactStore(this.env.LOGS).listProject(projectId);
    const { uploads } = this.turns.builds;
    const now = Date.now();
    const lane = load();
    const isNamed = (sha256: ArtifactDigest) => lane !== null && namesBuild(lane, sha256);
    // In one turn with the reservation: another part may come at the same time.
    const refused = refuseOverQuota(uploads.with(stored, now), part, isNamed);
    if (refused !== null) return refused;
    uploads.add(part, now);
    return succeed(null);
  }

  /** Whether a server has a run, and a deployment of the lane has this build. */
  async mayTakeBuild(serverId: ServerId, sha256: ArtifactDigest): Promise<boolean> {
    if (this.turns.owner() === null) return false;
    const lane = this.turns.parts.store.load();
    return runOn(lane, serverId) !== null && namesBuild(lane, sha256);
  }

  /** An agent has resolved the commit of a deployment, as the lane asked. */
  async commitResolved(resolved: CommitResolved): Promise<void> {
    const owner = this.turns.owner();
    if (owner !== null)
      this.turns.decide(owner, (lane, now) => succeed(decideCommitResolved(lane, resolved, now)));
  }

  /** An agent has removed the project from its server, as the lane ordered. */
  async projectRemoved(removed: ProjectRemoved): Promise<void> {
    const owner = this.turns.owner();
    if (owner !== null) this.turns.decide(owner, (lane) => succeed(decideProjectRemoved(lane, removed)));
  }

  /** A server was deleted, and can get no more messages. */
  async serverDeleted(serverId: ServerId): Promise<void> {
    const owner = this.turns.owner();
    if (owner !== null) this.turns.decide(owner, (lane) => succeed(decideServerDeleted(lane, serverId)));
  }
}
