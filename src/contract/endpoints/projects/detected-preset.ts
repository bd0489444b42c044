import * as z from "zod/mini";

import { listUpTo, textBetween } from "#contract/bounds.ts";
import { ProcessDefinitions } from "#contract/endpoints/processes/schemas.ts";
import { RepositoryDefinitions } from "#contract/endpoints/projects/repository-definitions.ts";
import { AppType, Preset } from "#contract/endpoints/projects/settings.ts";
import { ShellCommand } from "#contract/shell-command.ts";

/**
 * The preset for a project's files. `app_type` and `start_command`: how the built project runs. `reasons`: why this
 * framework and this type were detected. `suggested_release_command`: the framework's usual one, if any. `processes`:
 * the processes that the repository or the framework's preset defines. `repository_definitions`: the files that define
 * them, and what else they define.
 */
export const DetectedPreset = z.extend(Preset, {
  app_type: AppType,
  start_command: z.nullable(ShellCommand),
  reasons: listUpTo(textBetween(1, 2000), 20),
  suggested_release_command: z.optional(ShellCommand),
  processes: z.optional(ProcessDefinitions),
  repository_definitions: z.optional(RepositoryDefinitions),
});
export type DetectedPreset = z.infer<typeof DetectedPreset>;
