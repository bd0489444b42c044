import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";

/** A shell command line, run by `sh -c` in the release's root directory. */
export const ShellCommand = textBetween(1, 8192).check(
  z.refine((command) => !command.includes("\0"), "must not contain a NUL character"),
);
