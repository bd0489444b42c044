import { fail, type Step } from "#agent/run/step/step.ts";
import type { InsideCheck } from "#agent/workspace/inside-release.ts";

/**
 * Fails because the root or output directory is not a folder in the release.
 * @param hint what to do about it
 */
export function directoryFailure(
  what: "root" | "output",
  name: string,
  check: Exclude<InsideCheck, { kind: "inside" }>,
  hint: string | null = null,
): Step<never> {
  const why = {
    missing: what === "root" ? "is not in the repository" : "does not exist after the build",
    not_a_folder: "is not a folder",
    outside: "leads out of the release through a symbolic link",
  }[check.kind];
  return fail("build_failed", "build", `the ${what} directory \`${name}\` ${why}`, undefined, hint);
}
