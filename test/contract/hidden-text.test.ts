import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { withHiddenShown } from "#contract/hidden-text.ts";
import { CreateProjectInput, UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { CreateServerInput } from "#contract/endpoints/servers/schemas.ts";
import { CreateTokenInput } from "#contract/endpoints/tokens/schemas.ts";

const messageOf = (name: string) => DisplayName.safeParse(name).error?.issues[0]?.message;

describe("a display name", () => {
  it.each([
    ["a right-to-left override", "shop\u202egpj.exe", "U+202E"],
    ["an isolate", "\u2066shop\u2069", "U+2066"],
    ["a right-to-left mark", "shop\u200f", "U+200F"],
    ["an Arabic letter mark", "shop\u061c", "U+061C"],
    ["a zero-width space", "sh\u200bop", "U+200B"],
    ["a zero-width no-break space", "\ufeffshop", "U+FEFF"],
    ["a word joiner", "sh\u2060op", "U+2060"],
    ["a soft hyphen", "sh\u00adop", "U+00AD"],
    ["a combining grapheme joiner", "sh\u034fop", "U+034F"],
    ["a Hangul filler", "\u3164", "U+3164"],
    ["a blank Braille pattern", "\u2800", "U+2800"],
    ["a line separator", "shop\u2028two", "U+2028"],
    ["an annotation", "shop\ufff9x\ufffb", "U+FFF9"],
    ["tags", "shop\u{e0061}\u{e007f}", "U+E0061"],
    ["tags that are no flag", "\u{1f3f4}\u{e0061}\u{e007f}", "U+E0061"],
    ["a variation selector after a letter", "shop\ufe0f", "U+FE0F"],
    ["a variation selector after a digit", "web-1\ufe0f", "U+FE0F"],
    ["a supplementary variation selector", "shop\u{e0100}", "U+E0100"],
    ["a joiner between Latin letters", "sh\u200dop", "U+200D"],
    ["a non-joiner between Latin letters", "sh\u200cop", "U+200C"],
    ["a non-joiner at the end of a Persian word", "می\u200c", "U+200C"],
    ["two joiners in a row", "क्\u200d\u200dष", "U+200D"],
    ["a joiner after an emoji that joins nothing", "🚀\u200d", "U+200D"],
  ])("cannot hold %s", (_, name, character) => {
    expect(messageOf(name)).toBe(
      `must not contain the character ${character}, which is invisible or changes the text direction`,
    );
  });

  it.each([
    ["accents, composed and decomposed", "Café Cafe\u0301"],
    ["Persian with a non-joiner inside a word", "می\u200cخواهم"],
    ["Hindi with a joiner", "क्\u200dष"],
    ["Sinhala with a joiner", "ශ්\u200dරී ලංකා"],
    ["Hebrew and Arabic", "שלום مرحبا"],
    ["Japanese with its own space", "商店\u3000一号"],
    ["Korean", "가게"],
    ["Mongolian with a variant", "ᠮᠤᠩ\u180bᠭᠤᠯ"],
    ["emoji", "🚀 shop ❤\ufe0f ©\ufe0e"],
    ["a family and a skin tone", "👩\u200d👩\u200d👧 👩🏽\u200d💻 🏳\ufe0f\u200d🌈"],
    ["a keycap", "1\ufe0f\u20e3 shop"],
  ])("can hold %s", (_, name) => {
    expect(messageOf(name)).toBeUndefined();
    expect(withHiddenShown(name)).toBe(name);
  });

  it("is the schema of the names of projects, servers and tokens", () => {
    const name = "shop\u202e";
    for (const schema of [CreateProjectInput, UpdateProjectInput, CreateServerInput, CreateTokenInput])
      expect(schema.safeParse({ name }).error?.issues.map(({ path }) => path.join("."))).toContain("name");
  });

  it("that was stored before the rule is still read", () => {
    expect(Project.shape.name.safeParse("shop\u202e").success).toBe(true);
  });
});

describe("a text from others", () => {
  it("is shown with its hidden characters named", () => {
    expect(withHiddenShown("fix\u202etxt.exe")).toBe("fix[U+202E]txt.exe");
    expect(withHiddenShown("main\u200b")).toBe("main[U+200B]");
  });

  it("has no hidden characters after their removal", () => {
    const character = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom("\u200d", "\u200c", "\ufe0f", "\u202e", "🚀", "\u{1f3f4}", "क", "ن", "1", "\u20e3"),
    );
    fc.assert(
      fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
        expect(
          DisplayName.safeParse(`x${withHiddenShown(characters.join(""))}`.slice(0, 90)).error?.message ?? "",
        ).not.toMatch(/invisible/);
      }),
    );
  });
});
