import type { AutomaticSetting, BuildSettings } from "#contract/endpoints/projects/settings.ts";
import type { projects } from "#worker/db/schema.ts";

/** The settings that a framework can provide. Null in a column: the project does not set it. */
export type BuildColumns = Pick<
  typeof projects.$inferSelect,
  "framework" | "installCommand" | "buildCommand" | "outputDirectory" | "trailingSlash" | "fallback"
>;

/** The stored value of "none, regardless of the framework", for commands and the fallback, which cannot be empty. */
const NONE = "";

/** The columns of the given settings. Settings that are not given have no column here. */
export function buildColumns({
  framework,
  install_command,
  build_command,
  output_directory,
  trailing_slash,
  fallback,
}: BuildSettings): Partial<BuildColumns> {
  return {
    ...(framework === undefined ? {} : { framework }),
    ...(install_command === undefined ? {} : { installCommand: install_command ?? NONE }),
    ...(build_command === undefined ? {} : { buildCommand: build_command ?? NONE }),
    ...(output_directory === undefined ? {} : { outputDirectory: output_directory }),
    ...(trailing_slash === undefined ? {} : { trailingSlash: trailing_slash }),
    ...(fallback === undefined ? {} : { fallback: fallback ?? NONE }),
  };
}

/** The settings that the project sets itself. */
export function givenSettings({
  framework,
  installCommand,
  buildCommand,
  outputDirectory,
  trailingSlash,
  fallback,
}: BuildColumns): BuildSettings {
  return {
    ...(framework === null ? {} : { framework }),
    ...(installCommand === null ? {} : { install_command: storedText(installCommand) }),
    ...(buildCommand === null ? {} : { build_command: storedText(buildCommand) }),
    ...(outputDirectory === null ? {} : { output_directory: outputDirectory }),
    ...(trailingSlash === null ? {} : { trailing_slash: trailingSlash }),
    ...(fallback === null ? {} : { fallback: storedText(fallback) }),
  };
}

function storedText(text: string): string | null {
  return text === NONE ? null : text;
}

/** The columns that reset these settings, so that the framework provides them. */
export function automaticColumns(names: readonly AutomaticSetting[]) {
  return {
    // The detected settings may belong to the framework that was set before.
    ...(names.includes("framework") ? { framework: null, detected: null } : {}),
    ...(names.includes("install_command") ? { installCommand: null } : {}),
    ...(names.includes("build_command") ? { buildCommand: null } : {}),
    ...(names.includes("output_directory") ? { outputDirectory: null } : {}),
    ...(names.includes("trailing_slash") ? { trailingSlash: null } : {}),
    ...(names.includes("fallback") ? { fallback: null } : {}),
  };
}
