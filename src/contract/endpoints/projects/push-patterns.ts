import * as z from "zod/mini";

import type { DeployOnChanges } from "#contract/endpoints/projects/deploy-on.ts";
import { BranchName } from "#contract/git-names.ts";

/** What a pattern is compared with. */
type PatternKind = "branch" | "tag" | "path";

const lists = [
  ["branches", "branch"],
  ["tags", "tag"],
  ["paths", "path"],
  ["ignore_paths", "path"],
] as const;

/** Refuses patterns of a request that can never match, and markers that are in every message. */
export const hasUsefulPatterns = z.superRefine<{ readonly deploy_on?: DeployOnChanges | undefined }>(
  ({ deploy_on }, context) => {
    const on: DeployOnChanges = deploy_on ?? {};
    const refuse = (path: readonly PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path: ["deploy_on", ...path], message });
    for (const [name, kind] of lists) {
      const patterns = listOf(on[name]);
      const problems = patterns.map((pattern) => patternProblem(pattern, kind));
      for (const [at, problem] of problems.entries()) if (problem !== null) refuse([name, at], problem);
      if (problems.some((problem) => problem !== null)) continue;
      const first = patterns.findIndex((pattern) => !pattern.startsWith("!"));
      const [excluding] = patterns;
      if (excluding !== undefined && first === -1)
        refuse(
          [name],
          `selects nothing, because each pattern excludes: write "**" before ${quoted(excluding)}`,
        );
      else if (first > 0)
        refuse(
          [name, 0],
          "excludes nothing, because no pattern before it includes anything: move it to the end",
        );
    }
    for (const [at, marker] of listOf(on.skip_markers).entries())
      if (marker.trim() === "")
        refuse(["skip_markers", at], "must not be only spaces, which every message has");
  },
);

const listOf = (value: DeployOnChanges[keyof DeployOnChanges]) => (Array.isArray(value) ? value : []);

/** Why a pattern can never match, with what to write; null: it can. */
function patternProblem(pattern: string, kind: PatternKind): string | null {
  if (pattern.trim() !== pattern) return `has spaces around it: ${write(pattern.trim())}`;
  const excludes = pattern.startsWith("!");
  const text = excludes ? pattern.slice(1) : pattern;
  const again = (better: string) => write(`${excludes ? "!" : ""}${better}`);
  if (text.trim() === "") return "excludes nothing: write a pattern after the !";
  if (text.startsWith("!")) return `has two ! in front: ${write(text)}`;
  const parts = alternatives(text, kind);
  if (parts !== null) return `must be one pattern: ${parts.map((part) => again(part)).join(" and ")}`;
  const isRegex = text.startsWith("^") || (kind !== "path" && text.endsWith("$"));
  if (isRegex) return `must not be a regular expression: ${again(withoutRegex(text))}`;
  return kind === "path" ? pathProblem(text, again) : nameProblem(text, kind, again);
}

function nameProblem(text: string, kind: PatternKind, again: (better: string) => string): string | null {
  const bare = text.replace(/^\/?(?:refs\/(?:heads|tags|remotes\/origin)|remotes\/origin|origin)\//, "");
  if (bare !== text) return `must be the name alone: ${again(bare)}`;
  // Each wildcard can be one letter, so that a pattern matches a name that git allows, or none.
  const name = text.replace(/^\/|\/$/g, "").replace(/\*+|\?/g, "x");
  if (BranchName.safeParse(name).success) return null;
  if (/(?:^|\/)\.[*+]/.test(text)) return `must not be a regular expression: ${again(withoutRegex(text))}`;
  return `matches no ${kind}, because git allows no such name. \`*\` is any text without /, \`**\` any text, ? one character`;
}

function pathProblem(text: string, again: (better: string) => string): string | null {
  if (text.includes("\\")) return `must have / between folders: ${again(text.replace(/\\+/g, "/"))}`;
  const path = text.replace(/^\/|\/$/g, "");
  const parts = path.split("/");
  if (parts.includes(".."))
    return "matches no file, because the path of a file has no `..` part: write it from the root of the repository";
  const used = parts.filter((part) => part !== "" && part !== ".");
  if (used.length === parts.length) return null;
  return `must be a path from the root of the repository: ${again(used.join("/") || "**")}`;
}

/** The patterns in a text that has several; null: it is one. */
function alternatives(text: string, kind: PatternKind): readonly string[] | null {
  const [, before = "", inside, after = ""] = /^([^{]*)\{([^{}]*,[^{}]*)\}([^]*)$/.exec(text) ?? [];
  const list =
    inside === undefined
      ? text.split(kind === "path" ? "," : /[,|]/)
      : inside.split(",").map((one) => before + one.trim() + after);
  const trimmed = list.map((one) => one.trim().replace(/^\(|\)$/g, "")).filter((one) => one !== "");
  return list.length > 1 ? trimmed : null;
}

function withoutRegex(text: string): string {
  const plain = text
    .replace(/^\^|\$$/g, "")
    .replace(/\.[*+]/g, "*")
    .replace(/\\(?=[^\w])/g, "");
  return plain.replace(/^\*$/, "**");
}

const quoted = (text: string) => JSON.stringify(text);
const write = (pattern: string) => (pattern === "" ? "remove it" : `write ${quoted(pattern)}`);
