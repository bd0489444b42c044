import { applySettings, presetFor, STATIC } from "#contract/frameworks/preset-for.ts";
import type { AutomaticSetting, Preset } from "#contract/endpoints/projects/schemas.ts";
import { type BuildColumns, givenSettings } from "#worker/db/projects/build-columns.ts";

/** The framework that counts: the given one, else the one that was found, else none has been yet. */
export function shownFramework(framework: string | null, found: Preset | null): string {
  return framework ?? found?.framework ?? STATIC;
}

/** What counts for the next deployment, as far as it can be said before its files are known. */
export function shownSettings(columns: BuildColumns, found: Preset | null): Preset {
  const framework = shownFramework(columns.framework, found);
  const preset = found?.framework === framework ? found : presetFor(framework);
  return applySettings(givenSettings(columns), preset);
}

/** Which of the settings the project leaves to its framework. */
export function automaticSettings(columns: BuildColumns): AutomaticSetting[] {
  const all = [
    ["framework", columns.framework],
    ["build_command", columns.buildCommand],
    ["output_directory", columns.outputDirectory],
  ] as const;
  return all.flatMap(([name, value]) => (value === null ? [name] : []));
}
