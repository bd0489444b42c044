import { describe, expect, it } from "vitest";

import { maskSecrets } from "#agent/secrets/mask-secrets.ts";

const mask = (...values: readonly string[]) => maskSecrets(values, (text) => text);

describe("the mask of secrets", () => {
  it("hides each value wherever it occurs, the longest first", () => {
    expect(mask("secret", "secret-longer")("a secret-longer, xsecretx")).toBe("a ***, x***x");
  });

  it("hides the lines of a value with several lines", () => {
    expect(mask("first line\r\nsecond line\n")("> second line <")).toBe("> *** <");
  });

  it("takes values as they are, not as patterns", () => {
    expect(mask("a.*b(c)|d")("a.*b(c)|d, axxb, d")).toBe("***, axxb, d");
  });

  it("hides values as they are written in addresses and in JSON", () => {
    const value = 'p@ss"word/\\end';
    expect(mask(value)(`https://user:${encodeURIComponent(value)}@host`)).toBe("https://user:***@host");
    expect(mask(value)(JSON.stringify({ value }))).toBe('{"value":"***"}');
    expect(mask("first line\nsecond line")(JSON.stringify("first line\nsecond line"))).toBe('"***"');
  });

  it("hides values of the largest size, of which no pattern can be made", () => {
    const [one, two] = ["(".repeat(32 * 1024), "b".repeat(32 * 1024)];
    expect(mask(one, two, "secret")(`<${one}> <${two}> <secret>`)).toBe("<***> <***> <***>");
  });

  it("leaves short values, which are ordinary words", () => {
    expect(mask("", "on", "12345", "     \n  ")("on 12345")).toBe("on 12345");
  });

  it("hides the beginning of a value at the end of a text that was cut off", () => {
    expect(mask("correct-horse")("token correct-h", true)).toBe("token ***");
    expect(mask("correct-horse")("token correct-h")).toBe("token correct-h");
    expect(mask("aaaaab")("aaaa", true)).toBe("***");
  });
});
