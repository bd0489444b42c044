import { errorsForLog } from "#worker/thrown.ts";

/**
 * Logs a failure that appears in no response, as one line of JSON.
 * @param at the part of the Worker that failed
 * @param about what failed and the ids of the objects concerned; no secret
 */
export function logFailure(at: string, about: Readonly<Record<string, unknown>>, error: unknown): void {
  console.error(JSON.stringify({ level: "error", at, ...about, errors: errorsForLog(error) }));
}
