import { applySettings, presetFor, STATIC } from "#contract/frameworks/preset-for.ts";
import type { AutomaticSetting, Preset } from "#contract/endpoints/projects/schemas.ts";
import { type BuildColumns, givenSettings } from "#worker/db/projects/build-columns.ts";

/** The effective framework: the project's own setting, or the detected one, or static. */
export function shownFramework(framework: string | null, detected: Preset | null): string {
  return framework ?? detected?.framework ?? STATIC;
}

/** The build settings of the next deployment, as far as they are known before its files are fetched. */
export function shownSettings(columns: BuildColumns, detected: Preset | null): Preset {
  const framework = shownFramework(columns.framework, detected);
  const preset = detected?.framework === framework ? detected : presetFor(framework);
  return applySettings(givenSettings(columns), preset);
}

/** The settings that the project leaves to its framework. */
export function automaticSettings(columns: BuildColumns): AutomaticSetting[] {
  const all = [
    ["framework", columns.framework],
    ["build_command", columns.buildCommand],
    ["output_directory", columns.outputDirectory],
  ] as const;
  return all.flatMap(([name, value]) => (value === null ? [name] : []));
}
