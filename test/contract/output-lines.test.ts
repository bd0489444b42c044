import { describe, expect, it } from "vitest";

import { isWarning, looksLikeError } from "#contract/output-lines.ts";

describe("a warning", () => {
  it.each([
    "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.",
    "npm WARN old lockfile",
    " WARN  deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported",
    "warning package.json: No license field",
    "warning: unused variable: `x`",
    "src/main.c:12:5: warning: unused variable 'x' [-Wunused-variable]",
    "WARNING: Running pip as the 'root' user can result in broken permissions",
    "(node:4711) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.",
    "(node:4711) ExperimentalWarning: SQLite is an experimental feature",
    "(Use `node --trace-deprecation ...` to show where the warning was created)",
    "DEPRECATION WARNING: Rails 8.1 will change this",
    "Deprecation Warning [import]: Sass @import rules are deprecated",
    "Deprecated: Function strftime() is deprecated in index.php on line 3",
    "Package swiftmailer/swiftmailer is abandoned, you should avoid using it.",
    "⚠ No build cache found.",
  ])("is %s", (line) => {
    expect(isWarning(line)).toBe(true);
  });

  it.each([
    "added 211 packages in 3s",
    "Compiled with warnings",
    "removes all warnings",
    "npm error code EUSAGE",
    "warning: the build failed",
    "WARNING: TypeError: x is not a function",
    "warn-once@1.0.0",
    "",
  ])("is not %s", (line) => {
    expect(isWarning(line)).toBe(false);
  });

  it("is recognized in linear time", () => {
    const startedAt = process.cpuUsage();
    for (const long of ["a".repeat(131_072), " ".repeat(131_072), "package ".repeat(16_384)]) isWarning(long);
    // CPU time, which other programs on the machine do not lengthen.
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
  });
});

describe("a line that looks like an error", () => {
  it.each([
    ...["Error: no", "TypeError: x", "fatal: not a git repository", "npm ERR! code 1", "Tests failed"],
    ...["not ok 1 - adds numbers", "✖ adds numbers (1.2ms)", " FAIL  src/add.test.js"],
  ])("is %s", (line) => {
    expect(looksLikeError(line)).toBe(true);
  });

  it.each(["Found 0 errors", "Compiled without errors", "terrors", "12 passed, 0 failed"])(
    "is not %s",
    (line) => {
      expect(looksLikeError(line)).toBe(false);
    },
  );
});
