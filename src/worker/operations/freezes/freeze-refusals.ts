import type { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import { MAX_FREEZES } from "#contract/endpoints/freezes/schemas.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { readFreezeTimes } from "#domain/freezes/read-freeze-times.ts";

/** The times of a freeze as they are stored. @param now Unix milliseconds */
export function acceptedTimes(times: FreezeTimes, now: number): Result<FreezeTimes, "invalid_request"> {
  const read = readFreezeTimes(times, now);
  if (read.ok) return read;
  const { field, message } = read;
  return refuse("invalid_request", `The times of the freeze: \`${field}\` ${message}.`, [
    { pointer: `/times/${field}`, message },
  ]);
}

export function tooManyFreezes() {
  return refuse(
    "too_many",
    `The account has ${MAX_FREEZES} freezes, the maximum. Delete those that have ended.`,
  );
}

export function refuseAccountFreeze() {
  return refuse(
    "insufficient_scope",
    "The token is limited to some projects, so it cannot create a freeze of all projects: send a project_id.",
  );
}
