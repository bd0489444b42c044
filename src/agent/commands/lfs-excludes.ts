/** What `git config --get-all lfs.fetchexclude` prints: a line for each setting, and patterns between commas in it. */
export function readExcludes(output: string): readonly string[] {
  return output
    .split(/[\n,]/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
}

/**
 * Whether one of the patterns stands for a path. They are as in .gitignore: with a slash within it a pattern begins at the
 * root, without one it may stand for any part of the path, and what it stands for includes all that is below.
 */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const trimmed = pattern.replace(/^\/|\/$/g, "");
    const isRooted = pattern.slice(0, -1).includes("/");
    return new RegExp(`${isRooted ? "^" : "(?:^|/)"}${toSource(trimmed)}(?:/|$)`).test(path);
  });
}

function toSource(pattern: string): string {
  return pattern
    .split(/(\*\*\/?|\*|\?)/)
    .map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      return part === "?" ? "[^/]" : part.replace(/[.+^${}()|[\]\\/]/g, "\\$&");
    })
    .join("");
}
