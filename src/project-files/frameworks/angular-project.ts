import { insidePath } from "#project-files/frameworks/inside-path.ts";
import { objectOf } from "#contract/lib/json-object.ts";

/** `output`: the folder of the built pages. `server`: the script of the built server, if the project has one. */
export type AngularProject = { readonly output: string | null; readonly server: string | null };

/**
 * Reads the first project of angular.json.
 * Source: Angular's workspace configuration; since version 17 the application builder adds `browser` and `server`.
 */
export function angularProject(workspace: Readonly<Record<string, unknown>>): AngularProject | null {
  const [entry] = Object.entries(objectOf(workspace["projects"]));
  if (entry === undefined) return null;
  const [name, project] = entry;
  const build = objectOf(objectOf(objectOf(project)["architect"])["build"]);
  const options = objectOf(build["options"]);
  const given = options["outputPath"];
  const base = typeof given === "string" ? given : (objectOf(given)["base"] ?? `dist/${name}`);
  if (typeof base !== "string") return null;
  if (!String(build["builder"]).endsWith(":application")) return { output: insidePath(base), server: null };
  const folder = (part: string) => objectOf(given)[part] ?? part;
  const [browser, server] = [folder("browser"), folder("server")];
  const { outputMode, ssr } = options;
  const isServer = outputMode === undefined ? ssr !== undefined && ssr !== false : outputMode === "server";
  return {
    output: typeof browser === "string" ? insidePath(base, browser) : insidePath(base),
    server: isServer && typeof server === "string" ? insidePath(base, server, "server.mjs") : null,
  };
}
