import { insidePath } from "#project-files/frameworks/inside-path.ts";

/** The lists of Python packages that a project without a requirements.txt has, in order of precedence. */
const others = [
  ...["production", "prod", "requirements", "base", "main", "common"].map(
    (name) => `requirements/${name}.txt`,
  ),
  ...["requirements-prod.txt", "requirements-production.txt", "requirements_prod.txt"],
];

/** Their names at the top. */
export const otherRequirements: readonly string[] = [
  "requirements",
  ...others.filter((name) => !name.includes("/")),
];

/** The list of packages that is installed; null if there is none. @param has whether a file exists */
export function requirementsFile(has: (path: string) => boolean): string | null {
  return ["requirements.txt", ...others, "docs/requirements.txt"].find(has) ?? null;
}

/** The files below the top level that list packages, as for `deepPaths`. @param files the top-level files */
export function requirementPaths(files: ReadonlyMap<string, string>): readonly string[] {
  return [
    ...(files.has("requirements") ? ["requirements/*.txt"] : []),
    ...included("requirements.txt", files).filter((path) => path.includes("/")),
  ];
}

/** The files that say which packages are installed: the list, and those that it includes. */
export function requirementFiles(files: ReadonlyMap<string, string>): readonly string[] {
  const first = requirementsFile((path) => files.has(path));
  const found = new Set(first === null ? [] : [first]);
  // A set gives those that are added meanwhile too.
  for (const path of found) for (const next of included(path, files)) if (files.has(next)) found.add(next);
  return [...found];
}

const MOST_INCLUDED = 20;

/** The files that a list includes by `-r`. */
function included(path: string, files: ReadonlyMap<string, string>): readonly string[] {
  const folder = path.split("/").slice(0, -1);
  const lines = [...(files.get(path) ?? "").matchAll(/^[ \t]*(?:-r|--requirement)[ \t=]*([\w./-]{1,200})/gm)];
  return lines.slice(0, MOST_INCLUDED).flatMap(([, name = ""]) => insidePath(...folder, name) ?? []);
}
