import { type ProblemCode, refuse, type Result, succeed } from "#contract/problems.ts";
import { refuseIfDeleted } from "#domain/lane/decide-delete-project.ts";
import { decideConfig } from "#domain/lane/decide-config.ts";
import { decideRollback } from "#domain/lane/decide-rollback.ts";
import { decideStart, type Joined } from "#domain/lane/decide-start.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { startChange } from "#worker/objects/project-lane/lane-changes.ts";
import type {
  Commanded,
  ConfigCommand,
  RollbackCommand,
  StartCommand,
  Started,
} from "#worker/objects/project-lane/lane-commands.ts";
import type { LaneTurns } from "#worker/objects/project-lane/lane-turns.ts";

/** A lane with this many records that D1 has refused accepts no more starts. */
const MAX_UNWRITTEN = 10;

/** Adds a deployment to the lane's queue, once for each request key. */
export async function startIn(
  turns: LaneTurns,
  { owner, requestKey, audit, ledgerRow, ...request }: StartCommand,
) {
  return await join(turns, { owner, requestKey, audit, ledgerRow }, (lane, now) =>
    decideStart(lane, { ...request, ...newIds(turns) }, now),
  );
}

/** Adds a rollback to the lane's queue, once for each request key. */
export async function rollBackIn(
  turns: LaneTurns,
  { owner, requestKey, audit, ...request }: RollbackCommand,
) {
  return await join(turns, { owner, requestKey, audit }, (lane, now) =>
    decideRollback(lane, { ...request, ...newIds(turns) }, now),
  );
}

/** Adds a deployment of the live code to the lane's queue, once for each request key. */
export async function applyIn(turns: LaneTurns, { owner, requestKey, audit, ...request }: ConfigCommand) {
  return await join(turns, { owner, requestKey, audit }, (lane, now) =>
    decideConfig(lane, { ...request, ...newIds(turns) }, now),
  );
}

async function join<Code extends ProblemCode>(
  turns: LaneTurns,
  { owner, requestKey, audit, ledgerRow }: Commanded & Pick<StartCommand, "ledgerRow">,
  decide: (lane: Lane, now: number) => Result<Joined, Code>,
): Promise<Result<Started, Code | "not_found" | "unavailable">> {
  const known = await turns.takeOver(owner);
  if (!known.ok) return known;
  if (isBehind(turns)) await turns.parts.effects.writeRecords();
  // Read in the same turn as the decision: the same request may have arrived in the meantime.
  const before =
    requestKey === null || turns.owner() === null ? null : turns.parts.store.acceptedBefore(requestKey);
  if (before !== null) {
    await turns.parts.effects.writeRecords();
    return succeed({ started: before, isRepeated: true, bookmark: turns.parts.effects.bookmark });
  }
  if (isBehind(turns) && turns.parts.effects.isWriteFailing())
    return refuse("unavailable", "The database does not accept the records of this project's deployments.");
  const decideUnlessDeleted = (lane: Lane, now: number): Result<Joined, Code | "not_found"> =>
    refuseIfDeleted(lane) ?? decide(lane, now);
  const decided = turns.decide(owner, decideUnlessDeleted, (joined, now) => {
    if (requestKey !== null) turns.parts.store.noteAccepted(requestKey, joined.value, now);
    const recorded = startChange(audit, ledgerRow, joined.value);
    if (recorded !== null) turns.parts.changes.add(recorded);
  });
  if (!decided.ok) return decided;
  // So that a list that is read right after the answer contains the deployment.
  await turns.parts.effects.writeRecords();
  const { id, version } = decided.value.value;
  const { bookmark } = turns.parts.effects;
  return succeed({ started: { id, status: "building", version }, isRepeated: false, bookmark });
}

/** Whether D1 lacks so many records that it may be refusing every write. */
function isBehind(turns: LaneTurns): boolean {
  return turns.owner() !== null && turns.parts.store.unwritten().length >= MAX_UNWRITTEN;
}

function newIds({ ids }: LaneTurns) {
  return { id: ids.deployment(), runId: ids.run() };
}
