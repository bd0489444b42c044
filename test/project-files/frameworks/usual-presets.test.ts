import { expect, it } from "vitest";

import { presetFor } from "#project-files/frameworks/preset-for.ts";
import { presetAliases } from "#project-files/frameworks/preset-names.ts";
import { presets } from "#project-files/frameworks/presets.ts";
import { suggestReleaseCommand } from "#project-files/frameworks/release-commands.ts";
import { usualPreset, usualReleaseCommand } from "#project-files/frameworks/usual-preset.ts";

it.each([...Object.keys(presets), ...Object.keys(presetAliases), "static", "unheard-of", "toString"])(
  "has the preset of %s for a typical project (npm run reference updates it)",
  (name) => {
    expect(usualPreset(name)).toEqual(presetFor(name));
    expect(usualReleaseCommand(name)).toBe(suggestReleaseCommand(name));
  },
);
