/** Folders whose files other platforms run for a path of the site. */
const folders = ["api", "functions", "netlify/functions", "netlify/edge-functions"];
const endings = ["js", "mjs", "cjs", "ts", "mts"];

/** The files that may be functions of another platform, as for `deepPaths`. */
export function functionPaths(files: ReadonlyMap<string, string>): readonly string[] {
  return folders
    .filter((folder) => files.has(folder.split("/")[0] ?? ""))
    .flatMap((folder) => endings.map((ending) => `${folder}/*.${ending}`));
}

/** It exports what answers a request. A script of a page does not. */
const handler =
  /\bonRequest\w*\b|\bexports\.handler\b|\bexport\s+(?:default|const handler\b|(?:async\s+)?function (?:GET|POST|handler)\b)|\bmodule\.exports\s*=\s*(?:async\s*)?(?:function\b|\()/;

/** The first file that another platform runs as a function; null if there is none. */
export function platformFunction(files: ReadonlyMap<string, string>): string | null {
  if (files.has("_worker.js")) return "_worker.js";
  const inFolder = new RegExp(`^(?:${folders.join("|")})/[^/]+\\.(?:${endings.join("|")})$`);
  for (const [path, text] of files) if (inFolder.test(path) && handler.test(text)) return path;
  return null;
}
