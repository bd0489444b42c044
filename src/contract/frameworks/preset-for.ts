import { packageManagerFiles } from "#contract/frameworks/package-manager.ts";
import { aliases, type FrameworkPreset, presets } from "#contract/frameworks/presets.ts";
import { readFiles, type Tree } from "#contract/frameworks/tree.ts";
import type { BuildSettings, Preset } from "#contract/endpoints/projects/schemas.ts";

/** The framework of a project in which no framework is detected. */
export const STATIC = "static";

/** A typical project, for a preset before the files of the project are known. */
export const usualTree: Tree = {
  signs: new Set([
    ...["build", "generate", "docs:build"].map((name) => `script:${name}`),
    ...["Gemfile", "composer.json", "requirements.txt", "public"].map((name) => `file:${name}`),
    ...["gem:propshaft", "django:static-root"],
  ]),
  packageManager: { name: "npm", isLocked: true },
  angularOutput: null,
};

/** Every file or folder that the detection uses, relative to the project's root directory. */
export const tellingFiles: readonly string[] = [
  ...new Set([
    ...readFiles,
    ...packageManagerFiles,
    ...["uv.lock", "poetry.lock", "Pipfile.lock", "Gemfile.lock", ".vitepress"],
    ...["app", "cmd", "main.go", "public"],
    ...Object.values(presets)
      .flatMap(({ signs }) => signs.flat())
      .flatMap((sign) => (sign.startsWith("file:") ? [sign.slice("file:".length)] : [])),
  ]),
];

/** The name of the first preset whose signs are present; `static` if there is none. */
export function detectFramework({ signs }: Tree): string {
  const fits = (preset: FrameworkPreset) =>
    preset.signs.some((line) => line.every((sign) => signs.has(sign)));
  return Object.entries(presets).find(([, preset]) => fits(preset))?.[0] ?? STATIC;
}

/** Whether there is a preset for the framework. */
export function hasPreset(framework: string): boolean {
  return presetNamed(framework) !== null;
}

/** The build settings of a framework for a project. A framework without a preset has no build, like a static site. */
export function presetFor(framework: string, tree: Tree = usualTree): Preset {
  const preset = presetNamed(framework);
  if (preset === null)
    return { framework, install_command: null, build_command: null, output_directory: "." };
  const { commands, output } = preset;
  const { install, build } = commands(tree);
  const output_directory = typeof output === "string" ? output : output(tree);
  return { framework, install_command: install, build_command: build, output_directory };
}

/**
 * The effective settings: the project's own, and those of the preset for the rest. A build command of the project's own
 * installs what it needs, unless the project has an install command too.
 */
export function applySettings(given: BuildSettings, preset: Preset): Preset {
  const install = given.build_command === undefined ? preset.install_command : null;
  return {
    framework: given.framework ?? preset.framework,
    install_command: given.install_command === undefined ? install : given.install_command,
    build_command: given.build_command === undefined ? preset.build_command : given.build_command,
    output_directory: given.output_directory ?? preset.output_directory,
  };
}

function presetNamed(framework: string): FrameworkPreset | null {
  const name = Object.hasOwn(aliases, framework) ? aliases[framework] : framework;
  return name !== undefined && Object.hasOwn(presets, name) ? (presets[name] ?? null) : null;
}
