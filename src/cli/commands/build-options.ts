import { succeed } from "#contract/lib/result.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** The options that decide whether builds get the secrets of a call. */
export const buildOptions = {
  build: { kind: "flag", help: "Give these secrets to builds too" },
  "no-build": { kind: "flag", help: "Stop giving these secrets to builds (default: as before)" },
} as const;

/** Why one of the options is refused in a call that sets no secret. */
export const BUILD_WITHOUT_SECRETS =
  "--build and --no-build are for secrets: builds get every plain variable.";

/** Null if neither option was given. */
export function readBuild(options: {
  readonly build: boolean;
  readonly "no-build": boolean;
}): Result<boolean | null> {
  if (options.build && options["no-build"]) return stop("usage", "Pass either --build or --no-build.");
  return succeed(options.build ? true : options["no-build"] ? false : null);
}
