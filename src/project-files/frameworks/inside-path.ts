import { InsidePath } from "#contract/git-names.ts";

/** Leaves room for what a preset appends within the limit of `output_directory`. */
const LONGEST = 500;

/**
 * Joins the parts of a path as configuration files write them, such as `./src` and `../dist/`.
 * @returns null if the path leads out of the first part's folder, is absolute or too long
 */
export function insidePath(...parts: readonly string[]): string | null {
  const names: string[] = [];
  if (parts.some((part) => part.startsWith("/"))) return null;
  for (const name of parts.join("/").split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  const path = names.length === 0 ? "." : names.join("/");
  return path.length > LONGEST ? null : (InsidePath.safeParse(path).data ?? null);
}
