import { type Refusal, refuse } from "#contract/problems.ts";
import { causesOf, errorsForLog } from "#worker/thrown.ts";

/**
 * What an error says when a part of the platform is not there, or the database not migrated yet.
 * Source: Cloudflare's documentation, "D1 error list", "R2 error codes" and "Durable Objects error handling".
 */
const NOT_THERE =
  /network connection lost|overloaded|transient issue|\breset\b|internal error|no such table|\((10001|10043|10054|10058)\)/i;

/** D1's own failures; SQLite's name for an error is on those that a statement of ours has caused. */
const DATABASE_FAILED = /^D1_ERROR: (?!.*SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG))/;

/** The refusal for something thrown: exceptions are bugs of ours (500), unless a part of the platform is not there (503). */
export function refusalFor(error: unknown): Refusal {
  const isNotThere = causesOf(error).some(
    (cause) => NOT_THERE.test(cause.message) || DATABASE_FAILED.test(cause.message) || isRetryable(cause),
  );
  const { refusal } = isNotThere
    ? refuse("unavailable", "A part of Gantry does not answer at the moment. Try again shortly.")
    : refuse("internal", "Gantry failed to answer. The request id finds the cause in its log.");
  return refusal;
}

/** One line of structured log for something thrown, with all its causes. */
export function errorLogLine(error: unknown, requestId: string, request: Request): string {
  return JSON.stringify({
    level: "error",
    request_id: requestId,
    method: request.method,
    path: new URL(request.url).pathname,
    errors: errorsForLog(error),
  });
}

// Source: Durable Objects documentation, "Error handling": they are set on errors that crossed to us.
function isRetryable(error: Error): boolean {
  return (
    ("retryable" in error && error.retryable === true) ||
    ("overloaded" in error && error.overloaded === true) ||
    ("durableObjectReset" in error && error.durableObjectReset === true)
  );
}
