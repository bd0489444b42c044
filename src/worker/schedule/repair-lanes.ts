import * as z from "zod/mini";

import { ProjectId } from "#contract/ids.ts";
import { splitLogin } from "#domain/repository-login.ts";
import { findProjectsAfter } from "#worker/db/projects/find-projects-after.ts";
import { findSweepPosition, saveSweepPosition } from "#worker/db/sweep-position.ts";
import { logFailure } from "#worker/log-failure.ts";

/** The most lanes to wake in one run. Each reads at most a few hundred rows of D1. */
const MAX_LANES = 50;
/** The time between the starts of two rounds through all projects. */
const ROUND_MS = 24 * 60 * 60 * 1000;

const SWEEP = "lanes";

/** `after` null: the round has ended. */
const Position = z.strictObject({
  startedAt: z.number(),
  after: z.nullable(z.union([ProjectId, z.literal("")])),
});

type Clock = { now(): number };

/**
 * Calls `repair` of each project's lane once a day, some projects in each run, and seals the passwords that an earlier
 * version stored with the addresses of repositories, once their servers have a key. A lane whose repair fails retries it by
 * itself, and is called again in the next round.
 *
 * @throws if lanes failed, after all others of this run were called; or if D1 does not answer
 */
export async function repairLanes(env: Env, clock: Clock): Promise<void> {
  const saved = await findSweepPosition(env.DB, SWEEP);
  const fresh = { startedAt: clock.now(), after: "" } as const;
  const before = saved === null ? fresh : Position.parse(JSON.parse(saved));
  const hasEnded = before.after === null;
  if (hasEnded && clock.now() < before.startedAt + ROUND_MS) return;
  const { startedAt, after } = hasEnded ? fresh : before;
  const owners = await findProjectsAfter(env.DB, after ?? "", MAX_LANES);
  let failures = 0;
  for (const { repository, ...owner } of owners) {
    const lane = env.PROJECT_LANE.getByName(owner.projectId);
    try {
      if (!(await lane.repair(owner))) failures += 1;
      if (splitLogin(repository) !== null) await lane.sealStoredLogin(owner);
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
