/**
 * The columns of a violated unique constraint, such as `projects.account_id, projects.name`; null for any other error.
 * D1 reports them only in the message, and Drizzle wraps that error as a cause.
 */
export function uniqueViolation(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    const columns = /UNIQUE constraint failed: (.+?): SQLITE_CONSTRAINT/.exec(current.message)?.[1];
    if (columns !== undefined) return columns;
  }
  return null;
}
