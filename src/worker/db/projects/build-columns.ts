import type { AutomaticSetting, BuildSettings } from "#contract/endpoints/projects/settings.ts";
import type { projects } from "#worker/db/schema.ts";

/** The settings that a framework can provide. Null in a column: the project does not set it. */
export type BuildColumns = Pick<
  typeof projects.$inferSelect,
  "framework" | "installCommand" | "buildCommand" | "outputDirectory"
>;

/** The stored value of "no command, regardless of the framework". An empty command is not allowed. */
const NO_COMMAND = "";

/** The columns of the given settings. Settings that are not given have no column here. */
export function buildColumns({
  framework,
  install_command,
  build_command,
  output_directory,
}: BuildSettings): Partial<BuildColumns> {
  return {
    ...(framework === undefined ? {} : { framework }),
    ...(install_command === undefined ? {} : { installCommand: install_command ?? NO_COMMAND }),
    ...(build_command === undefined ? {} : { buildCommand: build_command ?? NO_COMMAND }),
    ...(output_directory === undefined ? {} : { outputDirectory: output_directory }),
  };
}

/** The settings that the project sets itself. */
export function givenSettings({
  framework,
  installCommand,
  buildCommand,
  outputDirectory,
}: BuildColumns): BuildSettings {
  return {
    ...(framework === null ? {} : { framework }),
    ...(installCommand === null ? {} : { install_command: storedCommand(installCommand) }),
    ...(buildCommand === null ? {} : { build_command: storedCommand(buildCommand) }),
    ...(outputDirectory === null ? {} : { output_directory: outputDirectory }),
  };
}

function storedCommand(command: string): string | null {
  return command === NO_COMMAND ? null : command;
}

/** The columns that reset these settings, so that the framework provides them. */
export function automaticColumns(names: readonly AutomaticSetting[]) {
  return {
    // The detected settings may belong to the framework that was set before.
    ...(names.includes("framework") ? { framework: null, detected: null } : {}),
    ...(names.includes("install_command") ? { installCommand: null } : {}),
    ...(names.includes("build_command") ? { buildCommand: null } : {}),
    ...(names.includes("output_directory") ? { outputDirectory: null } : {}),
  };
}
