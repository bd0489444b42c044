import type { AutomaticSetting, BuildSettings } from "#contract/endpoints/projects/schemas.ts";
import type { projects } from "#worker/db/schema.ts";

/** The settings that a framework can provide. Null in a column: the project does not set it. */
export type BuildColumns = Pick<
  typeof projects.$inferSelect,
  "framework" | "buildCommand" | "outputDirectory"
>;

/** The stored value of "no build command, regardless of the framework". An empty command is not allowed. */
const NO_BUILD = "";

/** The columns of the given settings. Settings that are not given have no column here. */
export function buildColumns({
  framework,
  build_command,
  output_directory,
}: BuildSettings): Partial<BuildColumns> {
  return {
    ...(framework === undefined ? {} : { framework }),
    ...(build_command === undefined ? {} : { buildCommand: build_command ?? NO_BUILD }),
    ...(output_directory === undefined ? {} : { outputDirectory: output_directory }),
  };
}

/** The settings that the project sets itself. */
export function givenSettings({ framework, buildCommand, outputDirectory }: BuildColumns): BuildSettings {
  return {
    ...(framework === null ? {} : { framework }),
    ...(buildCommand === null ? {} : { build_command: buildCommand === NO_BUILD ? null : buildCommand }),
    ...(outputDirectory === null ? {} : { output_directory: outputDirectory }),
  };
}

/** The columns that reset these settings, so that the framework provides them. */
export function automaticColumns(names: readonly AutomaticSetting[]) {
  return {
    // The detected settings may belong to the framework that was set before.
    ...(names.includes("framework") ? { framework: null, detected: null } : {}),
    ...(names.includes("build_command") ? { buildCommand: null } : {}),
    ...(names.includes("output_directory") ? { outputDirectory: null } : {}),
  };
}
