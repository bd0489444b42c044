import { join } from "node:path";

import { presetFor } from "#project-files/frameworks/preset-for.ts";
import { presetAliases } from "#project-files/frameworks/preset-names.ts";
import { presets } from "#project-files/frameworks/presets.ts";
import { suggestReleaseCommand } from "#project-files/frameworks/release-commands.ts";
import { mostly, type UsualPreset } from "#project-files/frameworks/usual-preset.ts";
import { root } from "../shared/root.ts";

export const usualPresetsPath = join(root, "src", "project-files", "frameworks", "usual-presets.ts");

/** The text of src/project-files/frameworks/usual-presets.ts. */
export function usualPresetsText(): string {
  const names = [...Object.keys(presets), ...Object.keys(presetAliases)];
  const rows = names.map((name) => {
    const preset = presetFor(name);
    const { install_command, build_command, output_directory, fallback, app_type, start_command } = preset;
    const row: UsualPreset = {
      install: install_command,
      build: build_command,
      output: output_directory,
      fallback,
      app: app_type,
      start: start_command,
      release: suggestReleaseCommand(name),
    };
    const usual = new Map<string, unknown>(Object.entries(mostly));
    const own = Object.entries(row).filter(([field, value]) => value !== usual.get(field));
    return `  ${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries(own))},\n`;
  });
  return `// Generated from presets.ts by \`npm run reference\`.

/** Where the presets for a typical project differ from \`mostly\`, by the name of the framework. */
export const usualPresets = {
${rows.join("")}} as const;
`;
}
