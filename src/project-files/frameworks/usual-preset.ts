import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import type { BuildSettings, Preset } from "#contract/endpoints/projects/settings.ts";
import { usualPresets } from "#project-files/frameworks/usual-presets.ts";

/** The framework of a project in which no framework is detected. */
export const STATIC = "static";

/** The settings of a framework for a typical project. `release`: the release command that it usually needs. */
export type UsualPreset = {
  readonly install: string | null;
  readonly build: string | null;
  readonly output: string;
  readonly fallback: string | null;
  readonly app: DetectedPreset["app_type"];
  readonly start: string | null;
  readonly release: string | null;
};

/** What most presets have. The table has only what differs, so that the Worker's bundle is smaller. */
export const mostly: UsualPreset = {
  install: "npm ci",
  build: "npm run build",
  output: ".",
  fallback: null,
  app: "server",
  start: null,
  release: null,
};

/**
 * The build settings of a framework before the files of the project are known: those of `presetFor`. The Worker needs no
 * more, so its bundle has this table instead of what detects frameworks.
 */
export function usualPreset(framework: string): DetectedPreset {
  const { install, build, output, fallback, app, start } = usualOf(framework);
  return {
    framework,
    install_command: install,
    build_command: build,
    output_directory: output,
    trailing_slash: "auto",
    fallback,
    app_type: app,
    start_command: start,
    reasons: [],
  };
}

/** The release command that a framework usually needs; null if it needs none. */
export function usualReleaseCommand(framework: string): string | null {
  return usualOf(framework).release;
}

const table: Readonly<Record<string, Partial<UsualPreset>>> = usualPresets;

function usualOf(framework: string): UsualPreset {
  return Object.hasOwn(table, framework) ? { ...mostly, ...table[framework] } : unknown;
}

const unknown: UsualPreset = {
  install: null,
  build: null,
  output: ".",
  fallback: null,
  app: "static",
  start: null,
  release: null,
};

/**
 * The effective settings: the project's own, and those of the preset for the rest. A build command of the project's own
 * installs what it needs, unless the project has an install command too.
 */
export function applySettings<AnyPreset extends Preset>(given: BuildSettings, preset: AnyPreset): AnyPreset {
  const install = given.build_command === undefined ? preset.install_command : null;
  return {
    ...preset,
    framework: given.framework ?? preset.framework,
    install_command: given.install_command === undefined ? install : given.install_command,
    build_command: given.build_command === undefined ? preset.build_command : given.build_command,
    output_directory: given.output_directory ?? preset.output_directory,
    trailing_slash: given.trailing_slash ?? preset.trailing_slash,
    fallback: given.fallback === undefined ? preset.fallback : given.fallback,
  };
}
