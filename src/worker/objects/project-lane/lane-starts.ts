import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { refuseIfDeleted } from "#domain/lane/decide-delete-project.ts";
import { decideRollback } from "#domain/lane/decide-rollback.ts";
import { decideStart, type Joined } from "#domain/lane/decide-start.ts";
import type { Lane } from "#domain/lane/lane.ts";
import type { RollbackCommand, StartCommand, Started } from "#worker/objects/project-lane/lane-commands.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import type { LaneTurns } from "#worker/objects/project-lane/lane-turns.ts";

/** A lane with this many records that D1 has refused accepts no more starts. */
const MAX_UNWRITTEN = 10;

/** Adds deployments and rollbacks to the lane's queue, each request once. */
export class LaneStarts {
  readonly #turns: LaneTurns;

  constructor(turns: LaneTurns) {
    this.#turns = turns;
  }

  async start({ owner, requestKey, ...request }: StartCommand) {
    return await this.#join(owner, requestKey, (lane, now) =>
      decideStart(lane, { ...request, ...this.#newIds() }, now),
    );
  }

  async rollBack({ owner, requestKey, ...request }: RollbackCommand) {
    return await this.#join(owner, requestKey, (lane, now) =>
      decideRollback(lane, { ...request, ...this.#newIds() }, now),
    );
  }

  async #join<Code extends ProblemCode>(
    owner: LaneOwner,
    requestKey: string | null,
    decide: (lane: Lane, now: number) => Result<Joined, Code>,
  ): Promise<Result<Started, Code | "not_found" | "unavailable">> {
    const known = await this.#turns.takeOver(owner);
    if (!known.ok) return known;
    if (this.#isBehind()) await this.#parts.effects.writeRecords();
    // Read in the same turn as the decision: the same request may have arrived in the meantime.
    const before = this.#acceptedBefore(requestKey);
    if (before !== null) {
      await this.#parts.effects.writeRecords();
      return succeed({ started: before, bookmark: this.#parts.effects.bookmark });
    }
    if (this.#isBehind() && this.#parts.effects.isWriteFailing())
      return refuse("unavailable", "The database does not accept the records of this project's deployments.");
    const decideUnlessDeleted = (lane: Lane, now: number): Result<Joined, Code | "not_found"> =>
      refuseIfDeleted(lane) ?? decide(lane, now);
    const decided = this.#turns.decide(owner, decideUnlessDeleted, (joined, now) => {
      if (requestKey !== null) this.#parts.store.noteAccepted(requestKey, joined.value, now);
    });
    if (!decided.ok) return decided;
    // So that a list that is read right after the answer contains the deployment.
    await this.#parts.effects.writeRecords();
    const { id, version } = decided.value.value;
    return succeed({ started: { id, status: "building", version }, bookmark: this.#parts.effects.bookmark });
  }

  /** Whether D1 lacks so many records that it may be refusing every write. */
  #isBehind(): boolean {
    return this.#turns.owner() !== null && this.#parts.store.unwritten().length >= MAX_UNWRITTEN;
  }

  #acceptedBefore(requestKey: string | null): Started["started"] | null {
    if (requestKey === null || this.#turns.owner() === null) return null;
    return this.#parts.store.acceptedBefore(requestKey);
  }

  #newIds() {
    const { ids } = this.#turns;
    return { id: ids.deployment(), runId: ids.run() };
  }

  get #parts() {
    return this.#turns.parts;
  }
}
