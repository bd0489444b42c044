import { expect, it } from "vitest";

import { presetFor } from "#contract/frameworks/preset-for.ts";
import { presetAliases, presets } from "#contract/frameworks/presets.ts";
import { suggestReleaseCommand } from "#contract/frameworks/release-commands.ts";
import { usualPreset, usualReleaseCommand } from "#contract/frameworks/usual-preset.ts";

it.each([...Object.keys(presets), ...Object.keys(presetAliases), "static", "unheard-of", "toString"])(
  "has the preset of %s for a typical project (npm run reference updates it)",
  (name) => {
    expect(usualPreset(name)).toEqual(presetFor(name));
    expect(usualReleaseCommand(name)).toBe(suggestReleaseCommand(name));
  },
);
