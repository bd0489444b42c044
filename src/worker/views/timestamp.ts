/** A time in the API: ISO 8601 in UTC. @param time Unix milliseconds */
export function timestamp(time: number): string {
  return new Date(time).toISOString();
}

/** As `timestamp`, for a time that may be null. */
export function timestampOrNull(time: number | null): string | null {
  return time === null ? null : timestamp(time);
}
