import * as z from "zod/mini";

import { textBetween, wholeBetween } from "#contract/bounds.ts";

/** A shell command line, run by `sh -c` in the release's root directory. */
export const ShellCommand = textBetween(1, 8192).check(
  z.refine((command) => !command.includes("\0"), "must not contain a NUL character"),
);

/** How many seconds a one-off command or a run of a cron job may take. */
export const CommandTimeout = wholeBetween(1, 86_400);
