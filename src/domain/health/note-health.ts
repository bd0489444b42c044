import * as z from "zod/mini";

import { lastSighting, type Sighting, type SightingKind, sightingsOf } from "#domain/health/sightings.ts";
import type { ProjectReport } from "#contract/agent-protocol.ts";

/** How long a process must run before it has recovered. A job and a certificate have at once. */
const STEADY_MS: Readonly<Record<SightingKind, number>> = {
  process: 5 * 60_000,
  cron: 0,
  certificate: 0,
};

/**
 * A subject that fails again within this time after its recovery must then work for as long, before there is an event.
 * So a process that flaps for hours causes at most two events an hour.
 */
const RELAPSE_MS = 60 * 60_000;

/** Times are Unix milliseconds. */
const Subject = z.strictObject({
  /** Since when it fails, according to its last event; null: its last event says that it works, or there was none. */
  failingSince: z.nullable(z.number()),
  /** Since when all reports say that the subject works; null: the last report does not say so. */
  fineSince: z.nullable(z.number()),
  isRelapse: z.boolean(),
  /** When it recovered last; null: never, or longer ago than RELAPSE_MS. */
  recoveredAt: z.nullable(z.number()),
});
type Subject = z.infer<typeof Subject>;

/**
 * Which processes, jobs and certificates of a project fail, according to the last events. `at`: of the last report.
 * `subjects`: each process, job or certificate that fails, or recovered a short time ago, by kind and name.
 */
export const HealthRecord = z.strictObject({ at: z.number(), subjects: z.record(z.string(), Subject) });
export type HealthRecord = z.infer<typeof HealthRecord>;

export const NO_HEALTH: HealthRecord = { at: 0, subjects: {} };

/** Why it no longer counts as failing. `working`: a process runs, or a job succeeded. */
export type RecoveryReason = "working" | "stopped" | "removed";

/** Something begins or ends to fail. `since`: when it began, in Unix milliseconds. */
export type HealthChange =
  | { readonly to: "failing"; readonly since: number; readonly sighting: Sighting }
  | {
      readonly to: "recovered";
      readonly since: number;
      readonly reason: RecoveryReason;
      readonly sighting: Sighting;
    };

type Noted = { readonly record: HealthRecord; readonly changes: readonly HealthChange[] };

const UNKNOWN: Subject = { failingSince: null, fineSince: null, isRelapse: false, recoveredAt: null };

/**
 * Finds out from a report what begins or ends to fail: once for each state, however often it is reported. A report that is
 * older than the last one changes nothing. A server that is not connected reports nothing, so nothing recovers meanwhile.
 * @param report null: the project is no longer on the server
 * @param at when the report arrived, in Unix milliseconds
 */
export function noteHealth(before: HealthRecord, report: ProjectReport | null, at: number): Noted {
  if (at < before.at) return { record: before, changes: [] };
  const { sightings, isKnown } = sightingsOf(report);
  const subjects: Record<string, Subject> = {};
  const changes: HealthChange[] = [];
  const seen = new Set(sightings.map(keyOf));
  for (const [key, subject] of Object.entries(before.subjects)) {
    if (seen.has(key)) continue;
    const gone = lastSighting(key);
    // A message that had to be shortened does not tell.
    if (gone !== null && !isKnown(gone.kind)) subjects[key] = subject;
    else if (gone !== null && subject.failingSince !== null && gone.kind !== "certificate")
      changes.push({ to: "recovered", since: subject.failingSince, reason: "removed", sighting: gone });
  }
  for (const sighting of sightings) {
    const key = keyOf(sighting);
    const noted = noteSighting(before.subjects[key] ?? UNKNOWN, sighting, at);
    if (noted.change !== null) changes.push(noted.change);
    const { failingSince, recoveredAt } = noted.subject;
    const isRecent = recoveredAt !== null && at - recoveredAt < RELAPSE_MS;
    if (failingSince !== null || isRecent) subjects[key] = noted.subject;
  }
  return { record: { at, subjects }, changes };
}

function noteSighting(
  before: Subject,
  sighting: Sighting,
  at: number,
): { readonly subject: Subject; readonly change: HealthChange | null } {
  const { failingSince: since, fineSince, isRelapse, recoveredAt } = before;
  switch (sighting.verdict) {
    case "failing": {
      if (since !== null) return { subject: { ...before, fineSince: null }, change: null };
      const again = recoveredAt !== null && at - recoveredAt < RELAPSE_MS;
      return {
        subject: { failingSince: at, fineSince: null, isRelapse: again, recoveredAt },
        change: { to: "failing", since: at, sighting },
      };
    }
    case "unknown":
      return { subject: { ...before, fineSince: null }, change: null };
    case "stopped":
      return {
        subject: UNKNOWN,
        change: since === null ? null : { to: "recovered", since, reason: "stopped", sighting },
      };
    case "working": {
      if (since === null) return { subject: before, change: null };
      const from = fineSince ?? at;
      const needed = isRelapse ? RELAPSE_MS : STEADY_MS[sighting.kind];
      if (at - from < needed) return { subject: { ...before, fineSince: from }, change: null };
      return {
        subject: { ...UNKNOWN, recoveredAt: at },
        change: { to: "recovered", since, reason: "working", sighting },
      };
    }
  }
}

function keyOf({ kind, name }: Pick<Sighting, "kind" | "name">): string {
  return `${kind} ${name}`;
}
