/** The most that an archive may contain. More is refused when it is made, and when it is unpacked. */
export const MAX_ENTRIES = 500_000;
export const MAX_UNPACKED_BYTES = 16 * 1024 * 1024 * 1024;
/** The most bytes of all paths and of the targets of links together, which are in memory. 500,000 files of a real build have about 50 MiB. */
export const MAX_NAMES_BYTES = 128 * 1024 * 1024;
/** The most bytes of a path in an archive. The path of the folder in which it is unpacked comes before it. */
export const LONGEST_PATH = 3_000;
/** The permission bits that an archive keeps. The others, such as setuid, belong to the machine. */
export const PERMISSIONS = 0o777;
