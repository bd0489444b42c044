/** Whether an error of the operating system has one of these codes. Source: errno(3). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** Whether an error of the file system says that the disk is full. */
export function isNoSpaceError(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT");
}
