import * as z from "zod/mini";

import { CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import { byName } from "#contract/endpoints/processes/schemas.ts";
import { CommandSource } from "#contract/processes/command-source.ts";
import { ShellCommand } from "#contract/shell-command.ts";

/** A command, and the file that it is in. */
export const SourcedCommand = z.strictObject({ command: ShellCommand, from: CommandSource });

/**
 * What the repository says about how the project runs. `processes`: where the command of each process is from. `cron`: the
 * jobs of gantry.json.
 */
export const RepositoryDefinitions = z.strictObject({
  release_command: z.nullable(SourcedCommand),
  processes: byName(CommandSource),
  cron: CronJobs,
});
export type RepositoryDefinitions = z.infer<typeof RepositoryDefinitions>;

/** Of a project that is not deployed yet. */
export const NO_DEFINITIONS: RepositoryDefinitions = { release_command: null, processes: {}, cron: [] };
