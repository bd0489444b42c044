import type * as z from "zod/mini";

import type { Policy } from "#agent/policy/policy.ts";

/**
 * The policy that the installer writes with `--policy strict`: commands come from repositories and presets, never from the
 * control plane. `repositories` is replaced by the list of `--repositories`.
 */
export const strictPolicy = {
  version: 1,
  repositories: "remote",
  branches: "any",
  commits: "reachable",
  build_commands: "repository",
  activate_commands: "none",
  release_commands: "repository",
  processes: "repository",
  commands: "none",
  cron: "repository",
  variables: "no_loaders",
  shared_paths: "any",
  secrets: "any",
  health_checks: "local",
  remove_projects: "keep_files",
  limits: {},
} as const satisfies z.input<typeof Policy>;
