import { join } from "node:path";

import type { Command } from "#agent/process/command.ts";

/** What a build or activate command learns of the deployment that it is part of. */
export type ReleaseFacts = {
  /** The folder of all releases; absolute. */
  readonly releases: string;
  readonly projectName: string;
  readonly version: number;
  readonly commitSha: string;
  readonly branch: string;
};

/** The variable with the folder of the release that a process belongs to. */
export const RELEASE_MARKER = "GANTRY_RELEASE";

/** A project's own command line, as its owner would type it in the release's root folder. */
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
      ...environment,
      CI: "true",
      // A release has no .git: git, and what asks it for a version or sets up hooks, must not find the one of a folder above.
      GIT_CEILING_DIRECTORIES: facts.releases,
      GANTRY: "1",
      GANTRY_PROJECT: facts.projectName,
      [RELEASE_MARKER]: join(facts.releases, String(facts.version)),
      GANTRY_VERSION: String(facts.version),
      GANTRY_COMMIT: facts.commitSha,
      GANTRY_BRANCH: facts.branch,
    },
  };
}
