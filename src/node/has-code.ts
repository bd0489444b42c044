/** Whether an error has one of these operating system error codes. Source: errno(3). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** Whether a file system error means that the disk is full. */
export function isNoSpaceError(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT");
}
