/**
 * Logs a failure that appears in no response, as one line of JSON.
 * @param at the part of the Worker that failed
 * @param about what failed and the ids of the objects concerned; no secret
 */
export function logFailure(at: string, about: Readonly<Record<string, unknown>>, error: unknown): void {
  console.error(JSON.stringify({ level: "error", at, ...about, errors: errorsForLog(error) }));
}

/** The exception and its causes, the root cause last. A thrown value that is not an Error is replaced by one. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let current = error; current !== undefined && causes.length < 10;) {
    // A thrown value may contain a secret, so only its type is kept.
    const cause = current instanceof Error ? current : new Error(`thrown: a ${typeof current}`);
    causes.push(cause);
    current = cause.cause;
  }
  return causes;
}

export type ErrorForLog = { readonly name: string; readonly message: string; readonly at: readonly string[] };

/** The exception with its causes, for the log. */
export function errorsForLog(error: unknown): readonly ErrorForLog[] {
  return causesOf(error).map(({ name, message, stack }) => ({ name, message, at: framesOf(stack) }));
}

// A stack begins with the message, so only lines with a location are kept.
function framesOf(stack: string | undefined): string[] {
  const lines = (stack ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => /^at \S.*:\d+:\d+\)?$/.test(line));
}
