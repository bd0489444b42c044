import { packageManagerFiles } from "#contract/frameworks/package-manager.ts";
import { aliases, type FrameworkPreset, presets } from "#contract/frameworks/presets.ts";
import { readFiles, type Tree } from "#contract/frameworks/tree.ts";
import type { BuildSettings, Preset } from "#contract/endpoints/projects/schemas.ts";

/** The framework of a tree without any sign of one. */
export const STATIC = "static";

/** A project as most are, for what can be said before its files are known. */
const usualTree: Tree = {
  signs: new Set([
    ...["build", "generate", "docs:build"].map((name) => `script:${name}`),
    ...["Gemfile", "requirements.txt"].map((name) => `file:${name}`),
  ]),
  packageManager: { name: "npm", isLocked: true },
  angularOutput: null,
};

/** Every file or folder that tells something of a tree, relative to the project's root directory. */
export const tellingFiles: readonly string[] = [
  ...new Set([
    ...readFiles,
    ...packageManagerFiles,
    ...["uv.lock", "poetry.lock", "Pipfile.lock", ".vitepress"],
    ...Object.values(presets)
      .flatMap(({ signs }) => signs.flat())
      .flatMap((sign) => (sign.startsWith("file:") ? [sign.slice("file:".length)] : [])),
  ]),
];

/** The name of the first preset that a tree shows the signs of, in the presets' order; a static site where there is none. */
export function detectFramework({ signs }: Tree): string {
  const fits = (preset: FrameworkPreset) =>
    preset.signs.some((line) => line.every((sign) => signs.has(sign)));
  return Object.entries(presets).find(([, preset]) => fits(preset))?.[0] ?? STATIC;
}

/** Whether a name stands for a preset that is known here. */
export function hasPreset(framework: string): boolean {
  return presetNamed(framework) !== null;
}

/** What the framework makes of a tree. One without a preset is built by nothing, like a static site. */
export function presetFor(framework: string, tree: Tree = usualTree): Preset {
  const preset = presetNamed(framework);
  if (preset === null) return { framework, build_command: null, output_directory: "." };
  const { build, output } = preset;
  const output_directory = typeof output === "string" ? output : output(tree);
  return { framework, build_command: build(tree), output_directory };
}

/** The settings that count: those that are given, and the preset's for the rest. */
export function applySettings(given: BuildSettings, preset: Preset): Preset {
  return {
    framework: given.framework ?? preset.framework,
    build_command: given.build_command === undefined ? preset.build_command : given.build_command,
    output_directory: given.output_directory ?? preset.output_directory,
  };
}

function presetNamed(framework: string): FrameworkPreset | null {
  const name = Object.hasOwn(aliases, framework) ? aliases[framework] : framework;
  return name !== undefined && Object.hasOwn(presets, name) ? (presets[name] ?? null) : null;
}
