import { DurableObject } from "cloudflare:workers";

import type { ProjectReport, RunEventsAnswer } from "#contract/agent-protocol.ts";
import type { RollbackTarget } from "#contract/deployments.ts";
import { createIdGenerator, DeploymentId, type ServerId } from "#contract/ids.ts";
import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import {
  decideDeleteProject,
  type DeleteProjectRequest,
  keptUntil,
  refuseIfDeleted,
} from "#domain/lane/decide-delete-project.ts";
import { decideForgotten, decideServerGone, type Forgotten } from "#domain/lane/decide-forgotten.ts";
import {
  decideGreeting,
  type Greeting,
  type GreetingAnswer,
  releaseToRestore,
} from "#domain/lane/decide-greeting.ts";
import { decideRollback } from "#domain/lane/decide-rollback.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { decideStart, type Joined } from "#domain/lane/decide-start.ts";
import type { Decision } from "#domain/lane/decision.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import type { UnfinishedLines } from "#worker/logs/read-log.ts";
import { LaneEffects } from "#worker/objects/lane-effects.ts";
import { LaneOutbox } from "#worker/objects/lane-outbox.ts";
import { type LaneOwner, LaneStore } from "#worker/objects/lane-store.ts";
import { LogBuffer } from "#worker/objects/log-buffer.ts";
import { LogFollowers } from "#worker/objects/log-followers.ts";
import type { LaneHolding } from "#domain/log-fate.ts";
import type {
  RollbackCommand,
  RunEventsCommand,
  StartCommand,
  Started,
  Written,
} from "#worker/objects/lane-commands.ts";
import { nextWakeAt } from "#worker/objects/next-wake.ts";
import { saveEffect } from "#worker/objects/save-effect.ts";
import { viewTarget } from "#worker/objects/rollback-target-view.ts";

/** How long a repair may take. */
const REPAIR_MS = 60_000;

/**
 * The one place that decides what a project runs next. Each method loads, decides (src/domain/lane) and saves in one
 * turn, without an await in between; then the saved state is carried out, and the alarm finishes what was cut off.
 */
export class ProjectLane extends DurableObject<Env> {
  #store: LaneStore;
  #outbox: LaneOutbox;
  #logs: LogBuffer;
  #effects: LaneEffects;
  #followers: LogFollowers;
  readonly #ids = createIdGenerator({
    now: () => Date.now(),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ({
      store: this.#store,
      outbox: this.#outbox,
      logs: this.#logs,
      effects: this.#effects,
      followers: this.#followers,
    } = openParts(ctx, env));
  }

  /** Refuses with `not_found`, `queue_full` and `live_changed`. Once it has answered, the deployment is in D1 or will be. */
  async start(command: StartCommand): Promise<Result<Started, "not_found" | "queue_full" | "live_changed">> {
    const { owner, requestKey, ...asked } = command;
    return this.#join(owner, requestKey, (lane, now) =>
      decideStart(lane, { ...asked, ...this.#newIds() }, now),
    );
  }

  /** Refuses with `not_found`, `already_live`, `no_rollback_target`, `queue_full` and `live_changed`. */
  async rollBack(
    command: RollbackCommand,
  ): Promise<
    Result<Started, "not_found" | "already_live" | "no_rollback_target" | "queue_full" | "live_changed">
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
  ): Promise<Result<Written, "not_cancelable" | "not_found">> {
    const decided = this.#decide(owner, (lane, now) => decideCancel(lane, id, by, now));
    if (!decided.ok) return decided;
    await this.#effects.writeRecords();
    return succeed({ bookmark: this.#effects.bookmark });
  }

  /** @param by who asked, as the log names them. The caller has seen that the record is there. */
  async delete(
    owner: LaneOwner,
    id: DeploymentId,
    by: string,
  ): Promise<Result<Written, "deployment_live" | "deployment_activating" | "not_found">> {
    const decided = this.#decide(owner, (lane, now) => decideDelete(lane, id, by, now));
    if (!decided.ok) return decided;
    await Promise.all([this.#effects.writeRecords(), this.#effects.storeLogs()]);
    return succeed({ bookmark: this.#effects.bookmark });
  }

  /**
   * Deletes the whole project. Once it has answered, its name and its domain are free again. Refuses with
   * `project_busy`, and with `unavailable` while D1 cannot be told: it will be, and asking again is safe.
   */
  async deleteProject(
    owner: LaneOwner,
    request: DeleteProjectRequest,
  ): Promise<Result<Written, "project_busy" | "unavailable">> {
    const decided = this.#decide(owner, (lane, now) => decideDeleteProject(lane, request, now));
    if (!decided.ok) return decided;
    await this.#effects.writeRecords();
    if (this.#outbox.projectRemoval() === "records")
      return refuse("unavailable", "The project is being deleted, but the database does not answer.");
    return succeed({ bookmark: this.#effects.bookmark });
  }

  /** Takes in what an agent reports; answers from storage alone, and tells D1 afterwards. */
  async report(command: RunEventsCommand): Promise<Result<RunEventsAnswer, "not_found">> {
    const owner = this.#store.owner();
    if (owner === null) return succeed({ acked_seq: command.events.at(-1)?.seq ?? 0, instruction: "over" });
    const last = command.events.at(-1);
    const decided = this.#decide(
      owner,
      (lane, now) => decideRunEvents(lane, command, now),
      ({ lane }) => {
        // A result that came after the lane's own verdict may leave the server with another release than the live one.
        if (last?.type !== "result") return;
        const found = { serverId: command.serverId, report: last.project };
        if (releaseToRestore(lane, found) !== null) this.#outbox.addRestore(found);
      },
    );
    return decided.ok ? succeed(decided.value.value) : decided;
  }

  /** Compares what a server says it serves of the project, without being asked, with what it should serve. */
  async compare(serverId: ServerId, report: ProjectReport): Promise<GreetingAnswer> {
    return { restore: releaseToRestore(this.#store.load(), { serverId, report }) };
  }

  /** Compares notes with an agent that has just connected. */
  async greet(greeting: Greeting): Promise<GreetingAnswer> {
    const owner = this.#store.owner();
    if (owner === null) return { restore: null };
    const decided = this.#decide(owner, (lane, now) => succeed(decideGreeting(lane, greeting, now)));
    return decided.ok ? decided.value.value : { restore: null };
  }

  /** An agent has let go of the project, as it was told. */
  async forgotten(forgotten: Forgotten): Promise<void> {
    const owner = this.#store.owner();
    if (owner !== null) this.#decide(owner, (lane) => succeed(decideForgotten(lane, forgotten)));
  }

  /** A server has been deleted, and can be told nothing any more. */
  async serverGone(serverId: ServerId): Promise<void> {
    const owner = this.#store.owner();
    if (owner !== null) this.#decide(owner, (lane) => succeed(decideServerGone(lane, serverId)));
  }

  /** @param serverId where the project is now: only what is kept there needs no build */
  async rollbackTargets(serverId: ServerId): Promise<RollbackTarget[]> {
    const lane = this.#store.load();
    return listTargets(lane).map((target) => viewTarget(lane, target, serverId));
  }

  /** The lines from one on that are not in the log's final object yet; null where nothing of the log is here. */
  async unfinishedLog(id: DeploymentId, fromLine: number): Promise<UnfinishedLines | null> {
    return this.#logs.unfinished(id, fromLine);
  }

  /** What of a deployment is here, whatever D1 says of it: it itself, and something of its log that R2 is to get. */
  async holds(id: DeploymentId): Promise<LaneHolding> {
    const deployment = this.#store.load().deployments.some((one) => one.id === id);
    return { deployment, log: this.#logs.holds(id) };
  }

  /** The Worker's upgrade request to follow the log of the deployment that is the path's end (`lane-news.ts`). */
  override async fetch(request: Request): Promise<Response> {
    return this.#followers.accept(DeploymentId.parse(new URL(request.url).pathname.slice(1)));
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.#followers.asked(socket, message);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  /**
   * Compares D1 with the lane, and mends D1 (`repair-records.ts`). Safe at any time, and to repeat.
   * Returns false where D1 could not be asked or told of all: the lane goes on by itself.
   */
  async repair(): Promise<boolean> {
    if (this.#store.owner() === null) return true;
    // For what is found: should the object die before it has set its alarm for that, this one comes.
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + REPAIR_MS);
    await this.#effects.repairRecords();
    await this.#carryOut();
    return !this.#effects.isRepairDue();
  }

  /** Never throws: the platform would give up on the alarm after six tries, and this one must not be lost. */
  override async alarm(): Promise<void> {
    try {
      const owner = this.#store.owner();
      if (owner === null) return;
      this.#save(owner, (lane, now) => succeed(decideDeadlines(lane, now)));
      this.#effects.attempts.succeed("alarm");
      if (this.#effects.isRepairDue()) await this.#effects.repairRecords();
      await this.#carryOut();
      await this.#ceaseToExist();
    } catch (error) {
      this.#effects.attempts.fail("alarm", error);
      await this.ctx.storage.setAlarm(Date.now() + this.#effects.attempts.delayMs);
    }
  }

  /** A deleted project's lane goes when nothing that was asked for before the deletion can arrive any more. */
  async #ceaseToExist(): Promise<void> {
    const until = keptUntil(this.#store.load());
    if (until === null || Date.now() < until || this.#effects.isPending()) return;
    // With its alarm, in one step: a lane cut off between the two would be left without either.
    await this.ctx.storage.deleteAll();
    ({
      store: this.#store,
      outbox: this.#outbox,
      logs: this.#logs,
      effects: this.#effects,
      followers: this.#followers,
    } = openParts(this.ctx, this.env));
  }

  #newIds() {
    return { id: this.#ids.deployment(), runId: this.#ids.run() };
  }

  async #join<Code extends ProblemCode>(
    owner: LaneOwner,
    requestKey: string | null,
    decide: (lane: Lane, now: number) => Result<Joined, Code>,
  ): Promise<Result<Started, Code | "not_found">> {
    const before = requestKey === null ? null : this.#store.acceptedBefore(requestKey);
    if (before !== null) {
      await this.#effects.writeRecords();
      return succeed({ started: before, bookmark: this.#effects.bookmark });
    }
    const decideUnlessDeleted = (lane: Lane, now: number): Result<Joined, Code | "not_found"> =>
      refuseIfDeleted(lane) ?? decide(lane, now);
    const decided = this.#decide(owner, decideUnlessDeleted, (joined, now) => {
      if (requestKey !== null) this.#store.noteAccepted(requestKey, joined.value, now);
    });
    if (!decided.ok) return decided;
    // So that a list read right after the answer shows it.
    await this.#effects.writeRecords();
    const { id, version } = decided.value.value;
    return succeed({ started: { id, status: "building", version }, bookmark: this.#effects.bookmark });
  }

  #decide<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
    saveWith: (decided: Decided, now: number) => void = () => undefined,
  ): Result<Decided, Code> {
    const result = this.#save(owner, decide, saveWith);
    if (result.ok) this.ctx.waitUntil(this.#carryOut());
    return result;
  }

  #save<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
    saveWith: (decided: Decided, now: number) => void = () => undefined,
  ): Result<Decided, Code> {
    const now = Date.now();
    try {
      return this.ctx.storage.transactionSync(() => {
        const decided = decide(this.#store.load(), now);
        if (!decided.ok) return decided;
        this.#store.save(decided.value.lane, owner);
        for (const effect of decided.value.effects)
          saveEffect({ store: this.#store, outbox: this.#outbox, logs: this.#logs }, effect, now);
        saveWith(decided.value, now);
        return decided;
      });
    } catch (error) {
      this.#store.forgetCache();
      throw error;
    }
  }

  /** Sets the alarm first, in the same turn as the save: whatever dies from here on, the alarm comes. */
  async #carryOut(): Promise<void> {
    const armed = this.#armAlarm();
    await this.#effects.all();
    await armed;
    await this.#armAlarm();
  }

  async #armAlarm(): Promise<void> {
    const pending = {
      isPending: this.#effects.isPending() || this.#logs.due().length > 0,
      failures: this.#effects.attempts.failures,
    };
    const wakeAt = nextWakeAt(this.#store.load(), pending, Date.now());
    if (wakeAt === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(wakeAt);
  }
}

function openParts(ctx: DurableObjectState, env: Env) {
  const { storage } = ctx;
  const store = new LaneStore(storage.sql);
  const outbox = new LaneOutbox(storage.sql);
  const logs: LogBuffer = new LogBuffer(storage.sql, (id) => followers.changed(id));
  const effects = new LaneEffects({ env, storage, store, outbox, logs, now: Date.now });
  const followers = new LogFollowers({ ctx, logs, settle: effects.writeRecords });
  return { store, outbox, logs, effects, followers };
}
