import type { AutomaticSetting, BuildSettings } from "#contract/endpoints/projects/schemas.ts";
import type { projects } from "#worker/db/schema.ts";

/** The settings that a framework can fill in. Null in a column: the project leaves it out. */
export type BuildColumns = Pick<
  typeof projects.$inferSelect,
  "framework" | "buildCommand" | "outputDirectory"
>;

/** In the column of the build command: none, whatever the framework. No command is empty. */
const NO_BUILD = "";

/** The columns of the settings that are given; the others are left out here too. */
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

/** What the project says itself. */
export function givenSettings({ framework, buildCommand, outputDirectory }: BuildColumns): BuildSettings {
  return {
    ...(framework === null ? {} : { framework }),
    ...(buildCommand === null ? {} : { build_command: buildCommand === NO_BUILD ? null : buildCommand }),
    ...(outputDirectory === null ? {} : { output_directory: outputDirectory }),
  };
}

/** The columns that leave these settings to the framework again. */
export function automaticColumns(names: readonly AutomaticSetting[]) {
  return {
    // What was found under another framework, which was given, is forgotten with it.
    ...(names.includes("framework") ? { framework: null, found: null } : {}),
    ...(names.includes("build_command") ? { buildCommand: null } : {}),
    ...(names.includes("output_directory") ? { outputDirectory: null } : {}),
  };
}
