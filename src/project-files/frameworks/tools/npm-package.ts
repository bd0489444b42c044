import minVersion from "semver/ranges/min-version.js";

import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";
import { rangeFor } from "#project-files/frameworks/tools/wanted-version.ts";

/** A package of npm's registry. `range`: a version or range. `hash`: of `packageManager`; empty without one. */
export type NpmPackage = { readonly name: string; readonly range: string; readonly hash: string };

/** The package that has the wanted version of pnpm or Yarn; `null` for other tools. */
export function npmPackageOf(tool: Tool, requests: readonly ToolRequest[]): NpmPackage | null {
  if (tool !== "pnpm" && tool !== "yarn") return null;
  const [first] = requests;
  const range = first === undefined ? "*" : rangeFor(first.wanted);
  const hash = first?.hash ?? "";
  // The package `yarn` has version 1 only.
  const isModern = tool === "yarn" && (minVersion(range)?.major ?? 0) >= 2;
  return { name: isModern ? "@yarnpkg/cli-dist" : tool, range: range === "*" ? "latest" : range, hash };
}
