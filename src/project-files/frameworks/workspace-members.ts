/** No workspace has more patterns, or members in folders that are nested more deeply. */
const MOST_PATTERNS = 1_000;
const DEEPEST = 50;

/**
 * Whether a folder belongs to a workspace. Patterns have `*` for a part of a name and `**` for any folders; `!` excludes.
 * @param path relative to the workspace's root
 */
export function isMember(path: string, all: readonly string[]): boolean {
  const names = path.split("/");
  if (names.length > DEEPEST) return false;
  const patterns = all.slice(0, MOST_PATTERNS);
  const matches = (pattern: string) => matchesPath(names, pattern.replace(/^\.\//, "").replace(/\/$/, ""));
  return (
    patterns.some((pattern) => !pattern.startsWith("!") && matches(pattern)) &&
    !patterns.some((pattern) => pattern.startsWith("!") && matches(pattern.slice(1)))
  );
}

/** Follows all possible matches at once, so that many wildcards take no longer. */
function matchesPath(names: readonly string[], pattern: string): boolean {
  const parts = pattern.split("/").filter((part, index, all) => part !== "**" || all[index - 1] !== "**");
  // Every other part is a name of the path.
  if (parts.length > 2 * names.length + 1) return false;
  let reached = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of reached)
      if (part === "**") for (let end = at; end <= names.length; end += 1) next.add(end);
      else if (at < names.length && matchesName(names[at] ?? "", part)) next.add(at + 1);
    reached = next;
  }
  return reached.has(names.length);
}

function matchesName(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
