/** The most that an archive may contain. More is refused when it is made, and when it is unpacked. */
export const MAX_ENTRIES = 500_000;
export const MAX_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024;
/** The most bytes of a path, so that the path of the folder that it is in fits before it. */
export const LONGEST_PATH = 3_000;
