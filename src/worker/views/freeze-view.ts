import type { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { freezeWindows, HORIZON_MS } from "#domain/freezes/freeze-windows.ts";
import type { FreezeRecord } from "#worker/db/freezes/freeze-records.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** A freeze may last longer than a week, or begin the day before. */
const BEFORE_MS = 8 * 24 * 60 * 60_000;

/** A freeze in the API. @param now Unix milliseconds */
export function freezeView(record: FreezeRecord, now: number): Freeze {
  // Of a single window, the beginning is known however far ahead it is.
  const until = record.times.type === "once" ? Infinity : now + HORIZON_MS;
  const windows = freezeWindows(record.times, now - BEFORE_MS, until);
  const window = windows.find((found) => found.until > now) ?? null;
  return {
    id: record.id,
    name: record.name,
    project_id: record.projectId,
    times: record.times,
    active: window !== null && window.from <= now,
    window: window === null ? null : { from: timestamp(window.from), until: timestamp(window.until) },
    created_at: timestamp(record.createdAt),
    created_by: record.createdBy,
  };
}
