/** What `gantry --version` says. Kept equal to package.json by a test. */
export const COMMAND_VERSION = "0.1.0";
