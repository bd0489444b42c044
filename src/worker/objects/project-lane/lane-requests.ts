import type { Artifact } from "#contract/artifact.ts";
import type { RollbackTarget } from "#contract/endpoints/deployments/schemas.ts";
import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { type ApprovalRefusal, decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideConfig } from "#domain/lane/decide-config.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import {
  decideDeleteProject,
  type DeleteProjectRequest,
  refuseIfDeleted,
} from "#domain/lane/decide-delete-project.ts";
import { decideRollback } from "#domain/lane/decide-rollback.ts";
import { decideStart, type Joined } from "#domain/lane/decide-start.ts";
import type { Decision } from "#domain/lane/decision.ts";
import { canceledBy } from "#domain/lane/deployment-events.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { PreviewRequest } from "#domain/lane/preview-rollback.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import { type StoredChange, storedChange, type StoredEntry } from "#worker/db/changes/stored-change.ts";
import { refuseIncomplete } from "#worker/artifacts/check-parts.ts";
import { startChange } from "#worker/objects/project-lane/lane-changes.ts";
import type {
  ApproveCommand,
  Commanded,
  ConfigCommand,
  DeleteCommand,
  DeploymentCommand,
  RollbackCommand,
  StartCommand,
  Started,
  Written,
} from "#worker/objects/project-lane/lane-commands.ts";
import { LaneReports } from "#worker/objects/project-lane/lane-reports.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import { rollbackTargetView } from "#worker/views/deployment-view.ts";

/** A lane with this many records that D1 has refused accepts no more starts. */
const MAX_UNWRITTEN = 10;

type StartRefusal = "not_found" | "queue_full" | "live_changed" | "secrets_not_sealed" | "unavailable";

/** What requests of the API do with a lane. */
export abstract class LaneRequests extends LaneReports {
  /**
   * Starts a deployment. Refuses with `not_found`, `queue_full`, `live_changed` and `secrets_not_sealed`, and with
   * `unavailable` if D1 refuses the records of earlier deployments. After the answer the deployment is in D1, or will be.
   */
  async start({
    owner,
    requestKey,
    audit,
    ledgerRow,
    ...request
  }: StartCommand): Promise<Result<Started, StartRefusal>> {
    return await this.#add({ owner, requestKey, audit, ledgerRow }, (lane, now) =>
      decideStart(lane, { ...request, ...this.#newIds() }, now),
    );
  }

  /** As `start`, with a build that a client has uploaded. Also refuses with `artifact_incomplete`. */
  async startUploaded(
    command: StartCommand,
    artifact: Artifact,
  ): Promise<Result<Started, StartRefusal | "artifact_incomplete">> {
    return await this.turns.builds.use(artifact.sha256, async () => {
      const incomplete = await refuseIncomplete(this.env.LOGS, command.owner.projectId, artifact);
      return incomplete ?? (await this.start(command));
    });
  }

  /** Starts a rollback. Refuses as `start`, and with `already_live` and `no_rollback_target`. */
  async rollBack({
    owner,
    requestKey,
    audit,
    ...request
  }: RollbackCommand): Promise<Result<Started, StartRefusal | "already_live" | "no_rollback_target">> {
    return await this.#add({ owner, requestKey, audit }, (lane, now) =>
      decideRollback(lane, { ...request, ...this.#newIds() }, now),
    );
  }

  /** Starts a deployment of the live code with the current settings. Refuses as `start` without `ifLive`, and with `not_live`. */
  async apply({
    owner,
    requestKey,
    audit,
    ...request
  }: ConfigCommand): Promise<Result<Started, Exclude<StartRefusal, "live_changed"> | "not_live">> {
    return await this.#add({ owner, requestKey, audit }, (lane, now) =>
      decideConfig(lane, { ...request, ...this.#newIds() }, now),
    );
  }

  /** Refuses with `not_cancelable` and `not_found`. */
  async cancel({
    owner,
    id,
    actor,
    audit,
  }: DeploymentCommand): Promise<Result<Written, "not_cancelable" | "not_found" | "unavailable">> {
    return await this.#change(owner, audit, (lane, now) => decideCancel(lane, id, canceledBy(actor), now));
  }

  /** Refuses with `not_approvable`, `own_deployment`, `person_required`, `commit_unknown`, `commit_changed`, `hold_changed` and `not_found`. */
  async approve({
    owner,
    audit,
    ...approval
  }: ApproveCommand): Promise<Result<Written, ApprovalRefusal | "not_found" | "unavailable">> {
    return await this.#change(owner, audit, (lane, now) => decideApprove(lane, approval, now));
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
    const known = await this.turns.takeOver(owner);
    if (!known.ok) return known;
    // D1 may still have the record when a second request reads it.
    const isDeleted = this.turns.owner() !== null && this.turns.parts.outbox.isDeleted(id);
    const decided = this.turns.decide(
      owner,
      (lane, now) => decideDelete(lane, id, canceledBy(actor), now),
      () => this.turns.parts.changes.add(isDeleted ? { ...change, event: null } : change),
    );
    if (!decided.ok) return decided;
    await Promise.all([this.turns.parts.effects.writeRecords(), this.turns.parts.effects.storeLogs()]);
    return succeed({ bookmark: this.turns.parts.effects.bookmark });
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
    const isDeleted = this.turns.owner() !== null && this.turns.parts.store.load().deletedAt !== null;
    const decided = this.turns.decide(
      owner,
      (lane, now) => decideDeleteProject(lane, request, now),
      () => this.turns.parts.changes.add(isDeleted ? { ...change, event: null } : change),
    );
    if (!decided.ok) return decided;
    await this.turns.parts.effects.writeRecords();
    if (this.turns.parts.outbox.projectRemoval() === "records")
      return refuse("unavailable", "The project is being deleted, but the database does not answer.");
    return succeed({ bookmark: this.turns.parts.effects.bookmark });
  }

  /** @param asked the project's current settings. A release that its server still has needs no build. */
  async rollbackTargets(
    owner: LaneOwner,
    asked: PreviewRequest,
  ): Promise<Result<RollbackTarget[], "not_found" | "unavailable">> {
    const known = await this.turns.takeOver(owner);
    if (!known.ok) return known;
    if (this.turns.owner() === null) return succeed([]);
    const lane = this.turns.parts.store.load();
    const now = this.turns.parts.now();
    return succeed(listTargets(lane).map((target) => rollbackTargetView(lane, target, asked, now)));
  }

  /** Changes a deployment, and records the request with the decision. */
  async #change<Decided extends Decision, Code extends ProblemCode>(
    owner: LaneOwner,
    audit: StoredEntry,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
  ): Promise<Result<Written, Code | "not_found" | "unavailable">> {
    const known = await this.turns.takeOver(owner);
    if (!known.ok) return known;
    const decided = this.turns.decide(owner, decide, () =>
      this.turns.parts.changes.add(storedChange(null, audit)),
    );
    if (!decided.ok) return decided;
    await this.turns.parts.effects.writeRecords();
    return succeed({ bookmark: this.turns.parts.effects.bookmark });
  }

  /** Adds a deployment to the lane's queue, once for each request key. */
  async #add<Code extends ProblemCode>(
    { owner, requestKey, audit, ledgerRow }: Commanded & Pick<StartCommand, "ledgerRow">,
    decide: (lane: Lane, now: number) => Result<Joined, Code>,
  ): Promise<Result<Started, Code | "not_found" | "unavailable">> {
    const known = await this.turns.takeOver(owner);
    if (!known.ok) return known;
    if (this.#isBehind()) await this.turns.parts.effects.writeRecords();
    // Read in the same turn as the decision: the same request may have arrived in the meantime.
    const before =
      requestKey === null || this.turns.owner() === null
        ? null
        : this.turns.parts.store.acceptedBefore(requestKey);
    if (before !== null) {
      await this.turns.parts.effects.writeRecords();
      return succeed({ started: before, isRepeated: true, bookmark: this.turns.parts.effects.bookmark });
    }
    if (this.#isBehind() && this.turns.parts.effects.isWriteFailing())
      return refuse("unavailable", "The database does not accept the records of this project's deployments.");
    const decideUnlessDeleted = (lane: Lane, now: number): Result<Joined, Code | "not_found"> =>
      refuseIfDeleted(lane) ?? decide(lane, now);
    const decided = this.turns.decide(owner, decideUnlessDeleted, (joined, now) => {
      if (requestKey !== null) this.turns.parts.store.noteAccepted(requestKey, joined.value, now);
      const recorded = startChange(audit, ledgerRow, joined.value);
      if (recorded !== null) this.turns.parts.changes.add(recorded);
    });
    if (!decided.ok) return decided;
    // So that a list that is read right after the answer contains the deployment.
    await this.turns.parts.effects.writeRecords();
    const { id, version } = decided.value.value;
    const { bookmark } = this.turns.parts.effects;
    return succeed({ started: { id, status: "building", version }, isRepeated: false, bookmark });
  }

  /** Whether D1 lacks so many records that it may be refusing every write. */
  #isBehind(): boolean {
    return this.turns.owner() !== null && this.turns.parts.store.unwritten().length >= MAX_UNWRITTEN;
  }

  #newIds() {
    return { id: this.turns.ids.deployment(), runId: this.turns.ids.run() };
  }
}
