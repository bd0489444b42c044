/** The version that `gantry --version` prints. A test keeps it equal to package.json. */
export const COMMAND_VERSION = "0.2.0";
