import { DurableObject } from "cloudflare:workers";

import type { ProjectReport, RunEventsAnswer } from "#contract/agent-protocol.ts";
import type { RollbackTarget } from "#contract/endpoints/deployments/schemas.ts";
import { createIdGenerator, DeploymentId, type ServerId } from "#contract/ids.ts";
import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import {
  decideDeleteProject,
  type DeleteProjectRequest,
  refuseIfDeleted,
} from "#domain/lane/decide-delete-project.ts";
import {
  decideProjectRemoved,
  decideServerDeleted,
  type ProjectRemoved,
} from "#domain/lane/decide-project-removed.ts";
import { reconcile, type AgentHello, type Reconciliation } from "#domain/lane/reconcile.ts";
import { decideRollback } from "#domain/lane/decide-rollback.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { decideStart, type Joined } from "#domain/lane/decide-start.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import type { LaneHolding } from "#domain/log-fate.ts";
import type { UnfinishedLines } from "#worker/logs/read-log.ts";
import type {
  RollbackCommand,
  RunEventsCommand,
  StartCommand,
  Started,
  Written,
} from "#worker/objects/project-lane/lane-commands.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import { LaneTurns } from "#worker/objects/project-lane/lane-turns.ts";
import { rollbackTargetView } from "#worker/views/rollback-target-view.ts";

/** With so many records that D1 has refused, the lane accepts no more. */
const MAX_UNWRITTEN = 10;

/** How long a repair may take. */
const REPAIR_MS = 60_000;

/**
 * The one place that decides what a project runs next. Each method loads, decides (src/domain/lane) and saves in one
 * turn, without an await in between; then the saved state is carried out, and the alarm finishes what was cut off.
 */
export class ProjectLane extends DurableObject<Env> {
  readonly #turns: LaneTurns;
  readonly #ids = createIdGenerator({
    now: () => Date.now(),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#turns = new LaneTurns(ctx, env);
  }

  get #parts() {
    return this.#turns.parts;
  }

  /**
   * Refuses with `not_found`, `queue_full` and `live_changed`, and with `unavailable` where D1 does not take what the lane
   * has accepted already. Once it has answered, the deployment is in D1 or will be.
   */
  async start(
    command: StartCommand,
  ): Promise<Result<Started, "not_found" | "queue_full" | "live_changed" | "unavailable">> {
    const { owner, requestKey, ...asked } = command;
    return this.#join(owner, requestKey, (lane, now) =>
      decideStart(lane, { ...asked, ...this.#newIds() }, now),
    );
  }

  /** Refuses as `start`, and with `already_live` and `no_rollback_target`. */
  async rollBack(
    command: RollbackCommand,
  ): Promise<
    Result<
      Started,
      "not_found" | "already_live" | "no_rollback_target" | "queue_full" | "live_changed" | "unavailable"
    >
  > {
    const { owner, requestKey, ...asked } = command;
    return this.#join(owner, requestKey, (lane, now) =>
      decideRollback(lane, { ...asked, ...this.#newIds() }, now),
    );
  }

  /** @param by who asked, as the log names them. Refuses with `not_cancelable` and `not_found`. */
  async cancel(
    owner: LaneOwner,
    id: DeploymentId,
    by: string,
  ): Promise<Result<Written, "not_cancelable" | "not_found" | "unavailable">> {
    const known = await this.#takeOver(owner);
    if (!known.ok) return known;
    const decided = this.#turns.decide(owner, (lane, now) => decideCancel(lane, id, by, now));
    if (!decided.ok) return decided;
    await this.#parts.effects.writeRecords();
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /** @param by who asked, as the log names them. The caller has seen that the record is there. */
  async delete(
    owner: LaneOwner,
    id: DeploymentId,
    by: string,
  ): Promise<Result<Written, "deployment_live" | "deployment_activating" | "not_found" | "unavailable">> {
    const known = await this.#takeOver(owner);
    if (!known.ok) return known;
    const decided = this.#turns.decide(owner, (lane, now) => decideDelete(lane, id, by, now));
    if (!decided.ok) return decided;
    await Promise.all([this.#parts.effects.writeRecords(), this.#parts.effects.storeLogs()]);
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /**
   * Deletes the whole project. Once it has answered, its name and its domain are free again. Refuses with
   * `project_busy`, and with `unavailable` while D1 cannot be told: it will be, and asking again is safe.
   */
  async deleteProject(
    owner: LaneOwner,
    request: DeleteProjectRequest,
  ): Promise<Result<Written, "project_busy" | "unavailable">> {
    const decided = this.#turns.decide(owner, (lane, now) => decideDeleteProject(lane, request, now));
    if (!decided.ok) return decided;
    await this.#parts.effects.writeRecords();
    if (this.#parts.outbox.projectRemoval() === "records")
      return refuse("unavailable", "The project is being deleted, but the database does not answer.");
    return succeed({ bookmark: this.#parts.effects.bookmark });
  }

  /** Takes in what an agent reports; answers from storage alone, and tells D1 afterwards. */
  async report(command: RunEventsCommand): Promise<Result<RunEventsAnswer, never>> {
    const owner = this.#turns.owner();
    if (owner === null) return succeed({ acked_seq: command.events.at(-1)?.seq ?? 0, instruction: "ended" });
    const last = command.events.at(-1);
    const decided = this.#turns.decide(
      owner,
      (lane, now) => succeed(decideRunEvents(lane, command, now)),
      ({ lane }) => {
        // A result that came after the lane's own verdict may leave the server with another release than the live one.
        if (last?.type !== "result") return;
        const said = { serverId: command.serverId, report: last.project };
        this.#parts.outbox.noteReported(said, checkServing(lane, said).kind !== "right");
      },
    );
    return decided.ok ? succeed(decided.value.value) : decided;
  }

  /** Compares what a server says it serves of the project, without being asked, with what it should serve. */
  async compare(serverId: ServerId, report: ProjectReport): Promise<Reconciliation> {
    if (this.#turns.owner() === null) return { serving: null };
    const said = { serverId, report };
    const serving = checkServing(this.#parts.store.load(), said);
    this.#parts.outbox.noteReported(said, serving.kind === "later");
    return { serving };
  }

  /** Compares notes with an agent that has just connected. */
  async reconcile(greeting: AgentHello): Promise<Reconciliation> {
    const owner = this.#turns.owner();
    if (owner === null) return { serving: null };
    const { serverId, report } = greeting;
    const decided = this.#turns.decide(
      owner,
      (lane, now) => succeed(reconcile(lane, greeting, now)),
      ({ value: { serving } }) => {
        if (serving !== null && report !== null)
          this.#parts.outbox.noteReported({ serverId, report }, serving.kind === "later");
      },
    );
    return decided.ok ? decided.value.value : { serving: null };
  }

  /** An agent has let go of the project, as it was told. */
  async projectRemoved(forgotten: ProjectRemoved): Promise<void> {
    const owner = this.#turns.owner();
    if (owner !== null) this.#turns.decide(owner, (lane) => succeed(decideProjectRemoved(lane, forgotten)));
  }

  /** A server has been deleted, and can be told nothing any more. */
  async serverDeleted(serverId: ServerId): Promise<void> {
    const owner = this.#turns.owner();
    if (owner !== null) this.#turns.decide(owner, (lane) => succeed(decideServerDeleted(lane, serverId)));
  }

  /** @param serverId where the project is now: only what is kept there needs no build */
  async rollbackTargets(
    owner: LaneOwner,
    serverId: ServerId,
  ): Promise<Result<RollbackTarget[], "not_found" | "unavailable">> {
    const known = await this.#takeOver(owner);
    if (!known.ok) return known;
    if (this.#turns.owner() === null) return succeed([]);
    const lane = this.#parts.store.load();
    return succeed(listTargets(lane).map((target) => rollbackTargetView(lane, target, serverId)));
  }

  /** The lines from one on that are not in the log's final object yet; null where nothing of the log is here. */
  async unfinishedLog(id: DeploymentId, fromLine: number): Promise<UnfinishedLines | null> {
    return this.#turns.owner() === null ? null : this.#parts.logs.unfinished(id, fromLine);
  }

  /** What of a deployment is here, whatever D1 says of it: it itself, and something of its log that R2 is to get. */
  async holds(id: DeploymentId): Promise<LaneHolding> {
    if (this.#turns.owner() === null) return { deployment: false, log: false };
    const deployment = this.#parts.store.load().deployments.some((one) => one.id === id);
    return { deployment, log: this.#parts.logs.holds(id) };
  }

  /** The Worker's upgrade request to follow the log of the deployment that is the path's end (`lane-news.ts`). */
  override async fetch(request: Request): Promise<Response> {
    return this.#turns.followers.accept(DeploymentId.parse(new URL(request.url).pathname.slice(1)));
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#turns.followers.asked(socket, message);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  /**
   * Compares D1 with the lane, and mends D1 (`repair-records.ts`). Safe at any time, and to repeat.
   * Returns false where D1 could not be asked or told of all: the lane goes on by itself.
   * @param found whose project it is, as D1 says: a lane that does not know it takes it over
   */
  async repair(found: LaneOwner | null = null): Promise<boolean> {
    const owner = this.#turns.owner() ?? found;
    const known = owner === null ? null : await this.#takeOver(owner);
    if (known?.ok === false && known.refusal.code === "unavailable") return false;
    if (this.#turns.owner() === null) return true;
    // For what is found: should the object die before it has set its alarm for that, this one comes.
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.#turns.alarm.setExactly(Date.now() + REPAIR_MS);
    await this.#parts.effects.repairRecords();
    await this.#turns.carryOut();
    return !this.#parts.effects.isRepairDue();
  }

  /** Never throws: the platform would give up on the alarm after six tries, and this one must not be lost. */
  override async alarm(): Promise<void> {
    this.#turns.alarm.noteGone();
    try {
      const owner = this.#turns.owner();
      if (owner === null) return;
      this.#turns.save(owner, (lane, now) => succeed(decideDeadlines(lane, now)));
      this.#parts.effects.retries.succeed("alarm");
      if (this.#parts.effects.isRepairDue()) await this.#parts.effects.repairRecords();
      await this.#turns.carryOut();
      await this.#turns.ceaseToExist();
    } catch (error) {
      this.#parts.effects.retries.fail("alarm", error);
      await this.#turns.alarm.setExactly(Date.now() + this.#parts.effects.retries.delayMs);
    }
  }

  #acceptedBefore(requestKey: string | null): Started["started"] | null {
    if (requestKey === null || this.#turns.owner() === null) return null;
    return this.#parts.store.acceptedBefore(requestKey);
  }

  async #takeOver(owner: LaneOwner): Promise<Result<null, "not_found" | "unavailable">> {
    return await this.#turns.takeOver(owner, () => this.#ids.run());
  }

  /** Whether D1 lacks so many records that it may refuse every write. Before more is promised, that is found out. */
  #isBehind(): boolean {
    return this.#turns.owner() !== null && this.#parts.store.unwritten().length >= MAX_UNWRITTEN;
  }

  #newIds() {
    return { id: this.#ids.deployment(), runId: this.#ids.run() };
  }

  async #join<Code extends ProblemCode>(
    owner: LaneOwner,
    requestKey: string | null,
    decide: (lane: Lane, now: number) => Result<Joined, Code>,
  ): Promise<Result<Started, Code | "not_found" | "unavailable">> {
    const known = await this.#takeOver(owner);
    if (!known.ok) return known;
    if (this.#isBehind()) await this.#parts.effects.writeRecords();
    // Asked in the turn that decides: the same request may have come meanwhile.
    const before = this.#acceptedBefore(requestKey);
    if (before !== null) {
      await this.#parts.effects.writeRecords();
      return succeed({ started: before, bookmark: this.#parts.effects.bookmark });
    }
    if (this.#isBehind() && this.#parts.effects.isWriteFailing())
      return refuse("unavailable", "The database does not take the records of this project's deployments.");
    const decideUnlessDeleted = (lane: Lane, now: number): Result<Joined, Code | "not_found"> =>
      refuseIfDeleted(lane) ?? decide(lane, now);
    const decided = this.#turns.decide(owner, decideUnlessDeleted, (joined, now) => {
      if (requestKey !== null) this.#parts.store.noteAccepted(requestKey, joined.value, now);
    });
    if (!decided.ok) return decided;
    // So that a list read right after the answer shows it.
    await this.#parts.effects.writeRecords();
    const { id, version } = decided.value.value;
    return succeed({ started: { id, status: "building", version }, bookmark: this.#parts.effects.bookmark });
  }
}
