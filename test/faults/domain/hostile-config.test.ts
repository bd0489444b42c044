import { describe, expect, it } from "vitest";

import { readFrameworkConfig } from "#project-files/frameworks/read-config.ts";

const valuesOf = (text: string) => Object.fromEntries(readFrameworkConfig("a.config.js", text).values);

describe("the settings of a configuration file", () => {
  it.each([
    "{",
    "a:{",
    "(",
    "[",
    '"',
    "'",
    "`",
    "/",
    "=/[",
    '\\"',
    "/*",
    "${",
    "a(",
    "...(",
    "a:b(",
    '{a:"',
    "\n/",
    "*/",
  ])("are read soon from half a million characters of %j", (part) => {
    // With quadratic time, the test would not end.
    expect(() => readFrameworkConfig("a.config.js", part.repeat(500_000 / part.length))).not.toThrow();
  });

  it("are read soon inside of a setting with a very long name", () => {
    const settings = Array.from({ length: 50_000 }, (_, index) => `a${index}:1`).join(",");
    const text = `export default { ${"n".repeat(100_000)}: { ${settings} }, output: "export" }`;
    expect(valuesOf(text)["output"]).toBe("export");
  });
});
