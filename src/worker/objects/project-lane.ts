import { DurableObject } from "cloudflare:workers";

import type { RunEvent, RunEventsAnswer } from "#contract/agent-protocol.ts";
import { type DeploymentStarted, RollbackTarget } from "#contract/deployments.ts";
import { createIdGenerator, type DeploymentId } from "#contract/ids.ts";
import { type ProblemCode, type Result, succeed } from "#contract/problems.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import { decideGreeting, type Greeting, type GreetingAnswer } from "#domain/lane/decide-greeting.ts";
import { decideRollback, type RollbackRequest } from "#domain/lane/decide-rollback.ts";
import { decideRunEvents, type ReportedEvents } from "#domain/lane/decide-run-events.ts";
import { decideStart, type Joined, type StartRequest } from "#domain/lane/decide-start.ts";
import type { Decision, Effect } from "#domain/lane/decision.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { listTargets } from "#domain/lane/rollback-target.ts";
import { LaneEffects } from "#worker/objects/lane-effects.ts";
import { type LaneOwner, LaneStore } from "#worker/objects/lane-store.ts";
import { LogBuffer, type UnfinishedLog } from "#worker/objects/log-buffer.ts";
import { retryDelayMs } from "#worker/objects/retry-delay.ts";
import { viewTarget } from "#worker/objects/rollback-target-view.ts";

/** What to start. The ids are made by the lane, so that they rise with the versions. */
export type StartCommand = Omit<StartRequest, "id" | "runId"> & { owner: LaneOwner };
export type RollbackCommand = Omit<RollbackRequest, "id" | "runId"> & { owner: LaneOwner };
export type RunEventsCommand = Omit<ReportedEvents, "events"> & { events: RunEvent[] };

/**
 * The one place that decides what a project runs next. Each method loads, decides (src/domain/lane) and saves in one
 * turn, without an await in between; then the saved state is carried out, and the alarm finishes what was cut off.
 */
export class ProjectLane extends DurableObject<Env> {
  readonly #store: LaneStore;
  readonly #logs: LogBuffer;
  readonly #effects: LaneEffects;
  readonly #ids = createIdGenerator({
    now: () => Date.now(),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { storage } = ctx;
    this.#store = new LaneStore(storage.sql);
    this.#logs = new LogBuffer(storage.sql);
    this.#effects = new LaneEffects({
      env,
      storage,
      store: this.#store,
      logs: this.#logs,
      now: Date.now,
    });
  }

  /** Refuses with `queue_full` and `live_changed`. Once it has answered, the deployment is in D1 or will be. */
  async start(command: StartCommand): Promise<Result<DeploymentStarted, "queue_full" | "live_changed">> {
    const { owner, ...asked } = command;
    return this.#join(owner, (lane, now) => decideStart(lane, { ...asked, ...this.#newIds() }, now));
  }

  /** Refuses with `already_live`, `no_rollback_target`, `queue_full` and `live_changed`. */
  async rollBack(
    command: RollbackCommand,
  ): Promise<
    Result<DeploymentStarted, "already_live" | "no_rollback_target" | "queue_full" | "live_changed">
  > {
    const { owner, ...asked } = command;
    return this.#join(owner, (lane, now) => decideRollback(lane, { ...asked, ...this.#newIds() }, now));
  }

  /** @param by who asked, as the log names them. Refuses with `not_cancelable` and `not_found`. */
  async cancel(
    owner: LaneOwner,
    id: DeploymentId,
    by: string,
  ): Promise<Result<null, "not_cancelable" | "not_found">> {
    const decided = this.#decide(owner, (lane, now) => decideCancel(lane, id, by, now));
    if (!decided.ok) return decided;
    await this.#effects.writeRecords();
    return succeed(null);
  }

  /** @param by who asked, as the log names them. The caller has seen that the record is there. */
  async delete(
    owner: LaneOwner,
    id: DeploymentId,
    by: string,
  ): Promise<Result<null, "deployment_live" | "deployment_activating" | "not_found">> {
    const decided = this.#decide(owner, (lane, now) => decideDelete(lane, id, by, now));
    if (!decided.ok) return decided;
    await Promise.all([this.#effects.writeRecords(), this.#effects.storeLogs()]);
    return succeed(null);
  }

  /** Takes in what an agent reports; answers from storage alone, and tells D1 afterwards. */
  async report(command: RunEventsCommand): Promise<Result<RunEventsAnswer, "not_found">> {
    const owner = this.#store.owner();
    if (owner === null) return succeed({ acked_seq: command.events.at(-1)?.seq ?? 0, instruction: "over" });
    const decided = this.#decide(owner, (lane, now) => decideRunEvents(lane, command, now));
    return decided.ok ? succeed(decided.value.value) : decided;
  }

  /** Compares notes with an agent that has just connected. */
  async greet(greeting: Greeting): Promise<GreetingAnswer> {
    const owner = this.#store.owner();
    if (owner === null) return { restore: null };
    const decided = this.#decide(owner, (lane, now) => succeed(decideGreeting(lane, greeting, now)));
    return decided.ok ? decided.value.value : { restore: null };
  }

  async rollbackTargets(): Promise<RollbackTarget[]> {
    return listTargets(this.#store.load()).map(viewTarget);
  }

  /** The lines that are not in the log's final object yet. */
  async unfinishedLog(id: DeploymentId): Promise<UnfinishedLog> {
    return this.#logs.read(id);
  }

  /** Never throws: the platform would give up on the alarm after six tries, and this one must not be lost. */
  override async alarm(): Promise<void> {
    const owner = this.#store.owner();
    if (owner === null) return;
    this.#decide(owner, (lane, now) => succeed(decideDeadlines(lane, now)));
    await this.#carryOut();
  }

  #newIds() {
    return { id: this.#ids.deployment(), runId: this.#ids.run() };
  }

  async #join<Code extends ProblemCode>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Joined, Code>,
  ): Promise<Result<DeploymentStarted, Code>> {
    const decided = this.#decide(owner, decide);
    if (!decided.ok) return decided;
    // So that a list read right after the answer shows it.
    await this.#effects.writeRecords();
    return succeed({ ...decided.value.value, status: "building" });
  }

  #decide<Decided extends Decision, Code extends ProblemCode = never>(
    owner: LaneOwner,
    decide: (lane: Lane, now: number) => Result<Decided, Code>,
  ): Result<Decided, Code> {
    const now = Date.now();
    try {
      const result = this.ctx.storage.transactionSync(() => {
        const decided = decide(this.#store.load(), now);
        if (!decided.ok) return decided;
        this.#store.save(decided.value.lane, owner);
        for (const effect of decided.value.effects) this.#saveEffect(effect, now);
        return decided;
      });
      if (result.ok) this.ctx.waitUntil(this.#carryOut());
      return result;
    } catch (error) {
      this.#store.forgetCache();
      throw error;
    }
  }

  #saveEffect(effect: Effect, now: number): void {
    switch (effect.type) {
      case "log": {
        const { stage, message } = effect;
        const time = new Date(now).toISOString();
        return this.#logs.append(effect.deploymentId, [{ time, stream: "system", stage, message }], now);
      }
      case "output":
        return this.#logs.append(effect.deploymentId, effect.lines, now);
      case "serving":
        return this.#store.noteServing(effect.serverId, effect.report, now);
      case "ended":
        return this.#logs.end(effect.deploymentId);
      case "removed":
        return this.#store.addRemoval(effect.deploymentId);
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
    const now = Date.now();
    const soonest = now + retryDelayMs(this.#effects.failures);
    const wakeAt = Math.min(
      nextDeadline(this.#store.load()) ?? Infinity,
      this.#logs.nextDueAt() ?? Infinity,
      this.#effects.isPending() ? soonest : Infinity,
    );
    if (wakeAt === Infinity) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Math.max(wakeAt, soonest));
  }
}
