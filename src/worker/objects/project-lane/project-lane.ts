import { DurableObject } from "cloudflare:workers";

import type { RunEventsAnswer } from "#contract/agent-events.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { RollbackTarget } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId, type ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { type ApprovalRefusal, decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import { decideDeleteProject, type DeleteProjectRequest } from "#domain/lane/decide-delete-project.ts";
import { decideFreezes } from "#domain/lane/decide-freezes.ts";
import type { CommitResolved } from "#domain/lane/decide-commit-resolved.ts";
import { canceledBy } from "#domain/lane/deployment-events.ts";
import type { ProjectRemoved } from "#domain/lane/decide-project-removed.ts";
import type { PreviewRequest } from "#domain/lane/preview-rollback.ts";
import type { AgentHello, Reconciliation } from "#domain/lane/reconcile.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import type { ReadFreezes } from "#domain/freezes/project-freezes.ts";
import type { LaneHolding } from "#domain/log-fate.ts";
import type { UnfinishedLines } from "#worker/logs/read-log.ts";
import {
  compareServing,
  noteCommitResolved,
  noteProjectRemoved,
  noteServerDeleted,
  reconcileWithAgent,
  reportRunEvents,
} from "#worker/objects/project-lane/agent-reports.ts";
import type {
  ApproveCommand,
  ConfigCommand,
  DeleteCommand,
  DeploymentCommand,
  RollbackCommand,
  RunEventsCommand,
  StartCommand,
  Started,
  Written,
} from "#worker/objects/project-lane/lane-commands.ts";
import { applyIn, rollBackIn, startIn } from "#worker/objects/project-lane/lane-starts.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import { LaneTurns } from "#worker/objects/project-lane/lane-turns.ts";
import { type StoredChange, storedChange } from "#worker/db/changes/stored-change.ts";
import { removeOldDeployments } from "#worker/objects/project-lane/remove-old-deployments.ts";
import { rollbackTargetView } from "#worker/views/deployment-view.ts";
import { inJurisdiction } from "#worker/objects/location.ts";

/** How long a repair may take. */
const REPAIR_MS = 60_000;

type StartRefusal = "not_found" | "queue_full" | "live_changed" | "secrets_not_sealed" | "unavailable";

/**
 * Decides what a project runs next. Each method loads the lane, decides (src/domain/lane) and saves in one turn,
 * without an await. Then it carries out the saved effects; the alarm finishes interrupted ones.
 */
export class ProjectLane extends DurableObject<Env> {
  readonly #turns: LaneTurns;

  constructor(ctx: DurableObjectState, bindings: Env) {
    const env = inJurisdiction(bindings);
    super(ctx, env);
    this.#turns = new LaneTurns(ctx, env);
  }

  get #parts() {
    return this.#turns.parts;
  }

  /**
   * Starts a deployment. Refuses with `not_found`, `queue_full`, `live_changed` and `secrets_not_sealed`, and with
   * `unavailable` if D1 refuses the records of earlier deployments. After the answer the deployment is in D1, or will be.
   */
  async start(command: StartCommand): Promise<Result<Started, StartRefusal>> {
    return await startIn(this.#turns, command);
  }

  /** Starts a rollback. Refuses as `start`, and with `already_live` and `no_rollback_target`. */
  async rollBack(
    command: RollbackCommand,
  ): Promise<Result<Started, StartRefusal | "already_live" | "no_rollback_target">> {
    return await rollBackIn(this.#turns, command);
  }

  /** Starts a deployment of the live code with the current settings. Refuses as `start` without `ifLive`, and with `not_live`. */
  async apply(
    command: ConfigCommand,
  ): Promise<Result<Started, Exclude<StartRefusal, "live_changed"> | "not_live">> {
    return await applyIn(this.#turns, command);
  }

  /** Refuses with `not_cancelable` and `not_found`. */
  async cancel({
    owner,
    id,
    actor,
    audit,
  }: DeploymentCommand): Promise<Result<Written, "not_cancelable" | "not_found" | "unavailable">> {
    const known = await this.#turns.takeOver(owner);
    if (!known.ok) return known;
    const decided = this.#turns.decide(
      owner,
      (lane, now) => decideCancel(lane, id, canceledBy(actor), now),
      () => this.#parts.changes.add(storedChange(null, audit)),
    );
    if (!decided.ok) return decided;
    await this.#parts.effects.writeRecords();
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /** Refuses with `not_approvable`, `own_deployment`, `commit_unknown`, `commit_changed` and `not_found`. */
  async approve({
    owner,
    audit,
    ...approval
  }: ApproveCommand): Promise<Result<Written, ApprovalRefusal | "not_found" | "unavailable">> {
    const known = await this.#turns.takeOver(owner);
    if (!known.ok) return known;
    const decided = this.#turns.decide(
      owner,
      (lane, now) => decideApprove(lane, approval, now),
      () => this.#parts.changes.add(storedChange(null, audit)),
    );
    if (!decided.ok) return decided;
    await this.#parts.effects.writeRecords();
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /** The account's freezes have changed. A lane that does not hear of it reads them itself within an hour. */
  async setFreezes(freezes: ReadFreezes): Promise<void> {
    const owner = this.#turns.owner();
    if (owner === null || this.#parts.store.load().deletedAt !== null) return;
    this.#turns.decide(owner, (lane, now) => succeed(decideFreezes(lane, freezes, null, now)));
    await this.#parts.effects.writeRecords();
  }

  /** The caller has checked that D1 has the record. */
  async delete({
    owner,
    id,
    actor,
    change,
  }: DeleteCommand): Promise<
    Result<Written, "deployment_live" | "deployment_activating" | "not_found" | "unavailable">
  > {
    const known = await this.#turns.takeOver(owner);
    if (!known.ok) return known;
    // D1 may still have the record when a second request reads it.
    const isDeleted = this.#turns.owner() !== null && this.#parts.outbox.isDeleted(id);
    const decided = this.#turns.decide(
      owner,
      (lane, now) => decideDelete(lane, id, canceledBy(actor), now),
      () => this.#parts.changes.add(isDeleted ? { ...change, event: null } : change),
    );
    if (!decided.ok) return decided;
    await Promise.all([this.#parts.effects.writeRecords(), this.#parts.effects.storeLogs()]);
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /**
   * Deletes the whole project. After a success its name and its domain can be used again. Refuses with `project_busy`,
   * and with `unavailable` while D1 does not answer: the deletion continues, and the request is safe to repeat.
   * @param change the event of the deletion, and the entry of the request
   */
  async deleteProject(
    owner: LaneOwner,
    request: DeleteProjectRequest,
    change: StoredChange,
  ): Promise<Result<Written, "project_busy" | "unavailable">> {
    const isDeleted = this.#turns.owner() !== null && this.#parts.store.load().deletedAt !== null;
    const decided = this.#turns.decide(
      owner,
      (lane, now) => decideDeleteProject(lane, request, now),
      () => this.#parts.changes.add(isDeleted ? { ...change, event: null } : change),
    );
    if (!decided.ok) return decided;
    await this.#parts.effects.writeRecords();
    if (this.#parts.outbox.projectRemoval() === "records")
      return refuse("unavailable", "The project is being deleted, but the database does not answer.");
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /** @param asked the project's current settings. A release that its server still has needs no build. */
  async rollbackTargets(
    owner: LaneOwner,
    asked: PreviewRequest,
  ): Promise<Result<RollbackTarget[], "not_found" | "unavailable">> {
    const known = await this.#turns.takeOver(owner);
    if (!known.ok) return known;
    if (this.#turns.owner() === null) return succeed([]);
    const lane = this.#parts.store.load();
    const now = this.#parts.now();
    return succeed(listTargets(lane).map((target) => rollbackTargetView(lane, target, asked, now)));
  }

  /** Saves what an agent reports about a run. Answers from storage, and writes to D1 afterwards. */
  async report(command: RunEventsCommand): Promise<Result<RunEventsAnswer, never>> {
    return reportRunEvents(this.#turns, command);
  }

  /** Compares the release that a server serves with the release that it should serve. For a report outside a hello. */
  async compare(serverId: ServerId, report: ProjectReport): Promise<Reconciliation> {
    return compareServing(this.#turns, serverId, report);
  }

  /** Reconciles the lane with an agent that has just connected. */
  async reconcile(hello: AgentHello): Promise<Reconciliation> {
    return reconcileWithAgent(this.#turns, hello);
  }

  /** An agent has resolved the commit of a deployment, as the lane asked. */
  async commitResolved(resolved: CommitResolved): Promise<void> {
    noteCommitResolved(this.#turns, resolved);
  }

  /** An agent has removed the project from its server, as the lane ordered. */
  async projectRemoved(removed: ProjectRemoved): Promise<void> {
    noteProjectRemoved(this.#turns, removed);
  }

  /** A server was deleted, and can get no more messages. */
  async serverDeleted(serverId: ServerId): Promise<void> {
    noteServerDeleted(this.#turns, serverId);
  }

  /** The lines from `fromLine` on that are not in the log's final object yet; null if the lane has nothing of the log. */
  async unfinishedLog(id: DeploymentId, fromLine: number): Promise<UnfinishedLines | null> {
    return this.#turns.owner() === null ? null : this.#parts.logs.unfinished(id, fromLine);
  }

  /** Whether the lane has the deployment, and log lines of it that are not in R2 yet, regardless of D1. */
  async holds(id: DeploymentId): Promise<LaneHolding> {
    if (this.#turns.owner() === null) return { deployment: false, log: false };
    const deployment = this.#parts.store.load().deployments.some((one) => one.id === id);
    return { deployment, log: this.#parts.logs.holds(id) };
  }

  /** The Worker's upgrade request to follow a log. The path ends with the deployment's id (`lane-news.ts`). */
  override async fetch(request: Request): Promise<Response> {
    return this.#turns.followers.accept(DeploymentId.parse(new URL(request.url).pathname.slice(1)), request);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#turns.followers.receive(socket, message);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  /**
   * Compares D1 with the lane, and corrects D1 (`repair-records.ts`). Safe to call and to repeat at any time.
   * @param found the project's owner according to D1: a lane that does not know the project takes it over
   * @returns false if D1 could not be read or written; the lane's alarm tries again
   */
  async repair(found: LaneOwner | null = null): Promise<boolean> {
    const owner = this.#turns.owner() ?? found;
    const known = owner === null ? null : await this.#turns.takeOver(owner);
    if (known?.ok === false && known.refusal.code === "unavailable") return false;
    if (this.#turns.owner() === null) return true;
    // If the object dies before it has set an alarm for what the repair finds, this alarm fires.
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.#turns.alarm.setExactly(Date.now() + REPAIR_MS);
    await this.#parts.effects.repairRecords();
    await this.#turns.refreshFreezes();
    await this.#turns.carryOut();
    // If the project was deleted in the meantime, nothing is left to repair.
    return this.#turns.owner() === null || !this.#parts.effects.isRepairDue();
  }

  /**
   * Removes deployments that ended before a time (`remove-old-deployments.ts`). Safe to repeat.
   * @returns whether all were removed; false: call it again
   */
  async removeOld(endedBefore: number): Promise<boolean> {
    return this.#turns.owner() === null || (await removeOldDeployments(this.#parts, endedBefore));
  }

  /** Never throws: the platform stops retrying an alarm after six failures, and this one must not be lost. */
  override async alarm(): Promise<void> {
    this.#turns.alarm.noteFired();
    try {
      const owner = this.#turns.owner();
      if (owner === null) return;
      this.#turns.save(owner, (lane, now) => succeed(decideDeadlines(lane, now)));
      this.#parts.effects.retries.succeed("alarm");
      if (this.#parts.effects.isRepairDue()) await this.#parts.effects.repairRecords();
      await this.#turns.refreshFreezesIfDue();
      await this.#turns.carryOut();
      await this.#turns.ceaseToExist();
    } catch (error) {
      this.#parts.effects.retries.fail("alarm", error);
      await this.#turns.alarm.setExactly(Date.now() + this.#parts.effects.retries.delayMs);
    }
  }
}
