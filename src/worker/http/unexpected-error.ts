import { type Refusal, refuse } from "#contract/problems.ts";
import { causesOf, errorsForLog } from "#worker/log-failure.ts";

/**
 * Matches the message of an error if a part of the platform does not respond, or the database is not migrated yet.
 * Source: Cloudflare's documentation, "D1 error list", "R2 error codes" and "Durable Objects error handling".
 */
const NOT_THERE =
  /network connection lost|overloaded|transient issue|\breset\b|internal error|no such table|\((10001|10043|10054|10058)\)/i;

/** D1's own failures. Errors that our statements cause contain the name of an SQLite error instead. */
const DATABASE_FAILED = /^D1_ERROR: (?!.*SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG))/;

/** The refusal for an exception: 503 if a part of the platform does not respond, otherwise 500, a bug in Gantry. */
export function refusalFor(error: unknown): Refusal {
  const isNotThere = causesOf(error).some(
    (cause) => NOT_THERE.test(cause.message) || DATABASE_FAILED.test(cause.message) || isRetryable(cause),
  );
  const { refusal } = isNotThere
    ? refuse("unavailable", "A part of Gantry does not respond at the moment. Try again shortly.")
    : refuse(
        "internal",
        "Gantry failed to answer. Search the Worker's log for the request id to find the cause.",
      );
  return refusal;
}

/** One structured log line for an exception, with all its causes. */
export function errorLogLine(error: unknown, requestId: string, request: Request): string {
  return JSON.stringify({
    level: "error",
    request_id: requestId,
    method: request.method,
    path: new URL(request.url).pathname,
    errors: errorsForLog(error),
  });
}

// Source: Durable Objects documentation, "Error handling": errors from an object have these properties.
function isRetryable(error: Error): boolean {
  return (
    ("retryable" in error && error.retryable === true) ||
    ("overloaded" in error && error.overloaded === true) ||
    ("durableObjectReset" in error && error.durableObjectReset === true)
  );
}
