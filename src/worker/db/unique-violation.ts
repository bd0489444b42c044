/**
 * The columns whose uniqueness an error is about, as in `projects.account_id, projects.name`; null for any other error.
 * Source: the message is all that D1 gives, and Drizzle wraps it as a cause.
 */
export function uniqueViolation(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    const columns = /UNIQUE constraint failed: (.+?): SQLITE_CONSTRAINT/.exec(current.message)?.[1];
    if (columns !== undefined) return columns;
  }
  return null;
}
