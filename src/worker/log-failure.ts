import { errorsForLog } from "#worker/thrown.ts";

/**
 * Notes in the Worker's log, as one line of JSON, what has failed where nobody is answered so.
 * @param at the part of the Worker that it failed in
 * @param about what was tried and the ids of what it is about; no secret
 */
export function logFailure(at: string, about: Readonly<Record<string, unknown>>, error: unknown): void {
  console.error(JSON.stringify({ level: "error", at, ...about, errors: errorsForLog(error) }));
}
