import { InsidePath } from "#contract/git-names.ts";

/**
 * Joins the parts of a path as configuration files write them, such as `./src` and `../dist/`.
 * @returns null if the path leads out of the first part's folder, or is absolute
 */
export function insidePath(...parts: readonly string[]): string | null {
  const names: string[] = [];
  if (parts.some((part) => part.startsWith("/"))) return null;
  for (const name of parts.join("/").split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return InsidePath.safeParse(names.length === 0 ? "." : names.join("/")).data ?? null;
}
