import * as z from "zod/mini";

import { ProjectId } from "#contract/ids.ts";
import { findProjectsAfter } from "#worker/db/projects/find-projects-after.ts";
import { findSweepPosition, saveSweepPosition } from "#worker/db/sweep-position.ts";
import { logFailure } from "#worker/log-failure.ts";

/** How many lanes are woken at most. Each reads a few hundred rows of D1 at most. */
const MAX_LANES = 50;
/** From one round through all projects to the next. */
const ROUND_MS = 24 * 60 * 60 * 1000;

const SWEEP = "lanes";

/** `after` null: the round is over. */
const Position = z.strictObject({
  startedAt: z.number(),
  after: z.nullable(z.union([ProjectId, z.literal("")])),
});

type Clock = { now(): number };

/**
 * Has each project's lane compare D1 with itself and mend D1, some projects at a time, and all of them once a day.
 * A lane that fails goes on by itself, and its turn comes again with the next round.
 *
 * @throws where lanes failed, once all others of this time have had their turn; or where D1 is away
 */
export async function repairLanes(env: Env, clock: Clock): Promise<void> {
  const saved = await findSweepPosition(env.DB, SWEEP);
  const fresh = { startedAt: clock.now(), after: "" } as const;
  const before = saved === null ? fresh : Position.parse(JSON.parse(saved));
  const isOver = before.after === null;
  if (isOver && clock.now() < before.startedAt + ROUND_MS) return;
  const { startedAt, after } = isOver ? fresh : before;
  const owners = await findProjectsAfter(env.DB, after ?? "", MAX_LANES);
  let failures = 0;
  for (const owner of owners) {
    try {
      if (!(await env.PROJECT_LANE.getByName(owner.projectId).repair(owner))) failures += 1;
    } catch (error) {
      failures += 1;
      logFailure("schedule", { what: "repair lanes", project_id: owner.projectId }, error);
    }
  }
  const next = owners.length < MAX_LANES ? null : (owners.at(-1)?.projectId ?? null);
  await saveSweepPosition(
    env.DB,
    SWEEP,
    JSON.stringify({ startedAt, after: next } satisfies z.infer<typeof Position>),
  );
  if (failures > 0) throw new Error(`${failures} lanes could not be repaired`);
}
