import type { Tool } from "#project-files/frameworks/tools/tool.ts";
import {
  readWanted,
  type VersionDialect,
  type WantedVersion,
} from "#project-files/frameworks/tools/wanted-version.ts";

/**
 * How binding a request is. `required`: the tool itself refuses other versions, as Bundler does. `pinned`: a version
 * file; a newer compatible version is accepted too. `advised`: for another version there is only a warning, as npm does
 * for `engines`. `default`: what to install if the server has no version at all.
 */
export type RequestStrength = "required" | "pinned" | "advised" | "default";

/** A version of a tool that a file of the repository asks for. */
export type ToolRequest = {
  readonly tool: Tool;
  /** As the file writes it, for messages. */
  readonly written: string;
  readonly wanted: WantedVersion;
  /** The file, relative to the repository's root. */
  readonly file: string;
  readonly strength: RequestStrength;
  /** The hash of the wanted package, such as `sha512.14e9…`, if `packageManager` has one. */
  readonly hash?: string;
};

/** Whether another version than the wanted one can fail a deployment. */
export function isBinding({ strength }: Pick<ToolRequest, "strength">): boolean {
  return strength === "required" || strength === "pinned";
}

/** What a reader of a file finds, before the file's name is added. */
export type FoundRequest = Omit<ToolRequest, "file">;

/** @returns no request if the version is missing or cannot be read */
export function requestFor(
  tool: Tool,
  written: unknown,
  dialect: VersionDialect,
  strength: RequestStrength,
): readonly FoundRequest[] {
  if (typeof written !== "string") return [];
  const wanted = readWanted(written, dialect);
  return wanted === null ? [] : [{ tool, written: written.trim(), wanted, strength }];
}
