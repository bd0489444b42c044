import { dirname } from "node:path";

import type { Command } from "#build/process/command.ts";

/** The facts of a deployment that its commands get as environment variables. */
export type ReleaseFacts = {
  /** The folder of the release; absolute. */
  readonly release: string;
  readonly projectName: string;
  readonly version: number;
  readonly commitSha: string;
  readonly branch: string;
};

/** The environment variable with the folder of the release that a process belongs to. */
export const RELEASE_MARKER = "GANTRY_RELEASE";

/** Runs a project's command line in a shell, in the release's root folder. */
export function shellCommand(
  line: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
  facts: ReleaseFacts,
): Command {
  return {
    argv: ["sh", "-c", line],
    cwd,
    env: {
      // pnpm would look up the version that package.json names, although that version runs already, and fail when the
      // registry lacks a part of it that another system needs.
      pnpm_config_pm_on_fail: "ignore",
      ...environment,
      CI: "true",
      // A release has no .git. Tools that ask git for a version or install hooks must not find a repository in a
      // folder above.
      GIT_CEILING_DIRECTORIES: dirname(facts.release),
      [RELEASE_MARKER]: facts.release,
      ...releaseVariables(facts),
    },
  };
}

/** The variables that say what is deployed. */
export function releaseVariables(facts: Omit<ReleaseFacts, "release">): Readonly<Record<string, string>> {
  return {
    GANTRY: "1",
    GANTRY_PROJECT: facts.projectName,
    GANTRY_VERSION: String(facts.version),
    GANTRY_COMMIT: facts.commitSha,
    GANTRY_BRANCH: facts.branch,
  };
}
