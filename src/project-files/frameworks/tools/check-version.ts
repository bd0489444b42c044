// One file each, because the whole of semver takes a twentieth of the CPU time of the agent's start.
import coerce from "semver/functions/coerce.js";
import compare from "semver/functions/compare.js";
import prerelease from "semver/functions/prerelease.js";
import satisfies from "semver/functions/satisfies.js";
import valid from "semver/functions/valid.js";

import { isBinding, type ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";
import { exactVersion, rangeFor } from "#project-files/frameworks/tools/wanted-version.ts";

/**
 * Whether an installed version is what the requests ask for. `close`: not the pinned version, but a newer one that is
 * compatible with it. `not_advised`: another version than `engines` or the like asks for. `by`: the request that it does
 * not meet.
 */
export type VersionCheck =
  | { readonly kind: "fits" }
  | { readonly kind: "close" | "not_advised" | "differs"; readonly by: ToolRequest };

/** Compares an installed version with the requests for its tool. A version that cannot be read fits. */
export function checkVersion(requests: readonly ToolRequest[], installed: string): VersionCheck {
  const version = coerce(installed)?.version;
  if (version === undefined) return { kind: "fits" };
  const unmet = requests.filter(
    ({ strength, wanted }) => strength !== "default" && !satisfies(version, rangeFor(wanted)),
  );
  const binding = unmet.filter(isBinding);
  const [first] = binding;
  if (first === undefined) {
    const [advice] = unmet;
    return advice === undefined ? { kind: "fits" } : { kind: "not_advised", by: advice };
  }
  const differing = binding.find((request) => !isClose(request, version));
  return differing === undefined ? { kind: "close", by: first } : { kind: "differs", by: differing };
}

/** The tools whose versions are compatible only within a minor version. */
const changing: readonly Tool[] = ["ruby", "python", "php"];

function isClose({ tool, wanted, strength }: ToolRequest, version: string): boolean {
  // From 1.21 on, Go downloads the version that go.mod asks for.
  if (tool === "go" && strength === "required") return satisfies(version, ">=1.21");
  const exact = exactVersion(wanted);
  if (exact === null || strength !== "pinned") return false;
  return satisfies(version, `${changing.includes(tool) ? "~" : "^"}${exact}`);
}

/** Whether no version can meet more of the requests. If files contradict each other, no version meets all of them. */
export function fitsBest(requests: readonly ToolRequest[], version: string): boolean {
  const { kind } = checkVersion(requests, version);
  return kind === "fits" || (kind === "not_advised" && requests.some(isBinding));
}

/**
 * Chooses the newest version that all requests allow, or else all binding requests, or else the first request.
 * @param available versions in any order. Only plain ones count, not `jruby-9.4` or `3.14.0a1`.
 * @returns null if there is none
 */
export function pickVersion(requests: readonly ToolRequest[], available: readonly string[]): string | null {
  const versions = available
    .filter((one) => valid(one) !== null && prerelease(one) === null)
    .toSorted((a, b) => compare(b, a));
  for (const group of [requests, requests.filter(isBinding), requests.slice(0, 1)]) {
    const found = versions.find((version) =>
      group.every(({ wanted }) => satisfies(version, rangeFor(wanted))),
    );
    if (found !== undefined) return found;
  }
  return null;
}
