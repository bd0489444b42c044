/** A time as the API shows it: ISO 8601 in UTC. @param time Unix milliseconds */
export function timestamp(time: number): string {
  return new Date(time).toISOString();
}

/** The same for a time that may not have come. */
export function timestampOrNull(time: number | null): string | null {
  return time === null ? null : timestamp(time);
}
