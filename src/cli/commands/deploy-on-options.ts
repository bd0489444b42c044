import type { DeployOnChanges } from "#contract/endpoints/projects/deploy-on.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** Which pushes a project deploys. */
export const deployOnOptions = {
  "deploy-on-branch": {
    kind: "list",
    value: "PATTERN",
    help: "Branches whose pushes are deployed, such as 'release/*'",
  },
  "deploy-on-tag": { kind: "list", value: "PATTERN", help: "Tags whose pushes are deployed, such as 'v*'" },
  "deploy-on-path": { kind: "list", value: "PATTERN", help: "Files that must change, such as apps/shop" },
  "deploy-on-ignore": { kind: "list", value: "PATTERN", help: "Files that do not count, such as '**/*.md'" },
  "deploy-on-push": {
    kind: "text",
    value: "WHICH",
    choices: ["on", "off", "defaults"],
    help: "Whether pushes are deployed; default: pushes to the project's branch",
  },
  poll: {
    kind: "text",
    value: "WHICH",
    choices: ["on", "off"],
    help: "Whether the server looks for pushes itself",
  },
} as const satisfies OptionSpecs;

/** The given changes; `null` without any. An empty pattern removes all patterns. */
export function deployOnFields(options: Options<typeof deployOnOptions>): Result<DeployOnChanges | null> {
  const which = options["deploy-on-push"];
  const listOf = (name: "deploy-on-branch" | "deploy-on-tag" | "deploy-on-path" | "deploy-on-ignore") =>
    options[name].length === 0 ? null : options[name].filter((pattern) => pattern !== "");
  const [branches, tags] = [listOf("deploy-on-branch"), listOf("deploy-on-tag")];
  const [paths, ignored] = [listOf("deploy-on-path"), listOf("deploy-on-ignore")];
  if (which === "defaults" && [branches, tags, paths, ignored].some((list) => list !== null))
    return stop("usage", "Pass either --deploy-on-push defaults or patterns.");
  const changes: DeployOnChanges = givenFields({
    enabled: which === null ? null : which !== "off",
    tags: which === "defaults" ? [] : tags,
    ignore_paths: which === "defaults" ? [] : ignored,
    poll: options.poll === null ? null : options.poll === "on",
  });
  // Without patterns both have their default, which is `null`.
  if (branches !== null || which === "defaults") changes.branches = branches?.length ? branches : null;
  if (paths !== null || which === "defaults") changes.paths = paths?.length ? paths : null;
  return succeed(Object.keys(changes).length === 0 ? null : changes);
}
