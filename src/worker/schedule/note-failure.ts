/** Notes a failure in the Worker's log. @param about ids of what it is about */
export function noteFailure(what: string, about: Readonly<Record<string, string>>, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(JSON.stringify({ level: "error", at: "schedule", what, ...about, message }));
}
