import { type FoundRequest, requestFor } from "#project-files/frameworks/tools/tool-request.ts";
import { toolNamed } from "#project-files/frameworks/tools/tool.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";

const engines = ["node", "npm", "pnpm", "yarn", "bun", "deno"] as const;

/** Reads `volta`, `packageManager` and `engines`. */
export function readPackageJson(text: string): readonly FoundRequest[] {
  const manifest = parseRelaxedObject(text);
  const volta = objectOf(manifest["volta"]);
  const asked = objectOf(manifest["engines"]);
  return [
    ...(["node", "npm", "pnpm", "yarn"] as const).flatMap((tool) =>
      requestFor(tool, volta[tool], "npm", tool === "npm" ? "advised" : "pinned"),
    ),
    ...readPackageManager(manifest["packageManager"]),
    ...engines.flatMap((tool) => requestFor(tool, asked[tool], "npm", "advised")),
  ];
}

/** The package managers that a project can name. npm ignores the field, so another version of it is no failure. */
function readPackageManager(declared: unknown): readonly FoundRequest[] {
  const { name, version, hash } = splitPackageManager(declared);
  const tool = toolNamed(name);
  if (tool === "npm") return requestFor(tool, version, "npm", "advised");
  if (tool !== "pnpm" && tool !== "yarn" && tool !== "bun") return [];
  return requestFor(tool, version, "npm", "pinned").map((found) => ({ ...found, hash }));
}

/**
 * Splits `packageManager`, such as `pnpm@9.1.0+sha512.14e9…`.
 * @returns empty texts for what it does not have
 */
function splitPackageManager(declared: unknown): {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
} {
  const text = typeof declared === "string" && declared.length <= 300 ? declared : "";
  const [name = "", rest = ""] = text.split("@");
  const [version = "", hash = ""] = rest.split("+");
  return { name, version, hash };
}
