import { constants } from "node:fs";

/** Opens a file for reading, but no symbolic link, and without waiting for the other end of a pipe or for a device. */
export const READ_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
