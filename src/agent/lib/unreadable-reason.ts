/** Whether the system has refused an access, perhaps only for now. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error;
}

/** Why a JSON file could not be read: the system's error, or that its content has changed since it was written. */
export function unreadableReason(error: unknown): string {
  return isSystemError(error) ? error.message : "it is damaged";
}
