/** What was thrown and what caused it, the cause last; something that is no error is stood for by one. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let current = error; current !== undefined && causes.length < 10;) {
    // What is thrown without being an error may be anything, a secret too.
    const cause = current instanceof Error ? current : new Error(`thrown: a ${typeof current}`);
    causes.push(cause);
    current = cause.cause;
  }
  return causes;
}

export type ErrorForLog = { readonly name: string; readonly message: string; readonly at: readonly string[] };

/** Something thrown with all its causes, as the Worker's log tells of it: without the values that a statement had. */
export function errorsForLog(error: unknown): readonly ErrorForLog[] {
  return causesOf(error).map(({ name, message, stack }) => ({
    name,
    message: withoutParameters(message),
    at: framesOf(stack),
  }));
}

// Drizzle's message ends with the values of the statement's parameters, which can be secrets.
function withoutParameters(message: string): string {
  return message.replace(/\nparams: [\s\S]*$/, "");
}

// A stack begins with the message, so only the lines that say where are kept.
function framesOf(stack: string | undefined): string[] {
  const lines = (stack ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => /^at \S.*:\d+:\d+\)?$/.test(line));
}
