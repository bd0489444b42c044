import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { CommitRule, type Limits, TrailingSlash } from "#contract/endpoints/projects/settings.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";

/** The project settings that have an option. The API has more (see `/docs` of the installation). */
export const projectOptions = {
  branch: { kind: "text", short: "b", value: "NAME", help: "Branch to deploy" },
  commits: {
    kind: "text",
    value: "RULE",
    choices: CommitRule.options,
    help: "Which commits can be deployed by hash",
  },
  approval: {
    kind: "text",
    value: "RULE",
    choices: ApprovalRule.options,
    help: "Whether deployments wait for an approval",
  },
  framework: { kind: "text", value: "NAME", help: "Framework, such as astro" },
  "install-command": {
    kind: "text",
    value: "COMMAND",
    help: "Command that installs the dependencies, run by sh",
  },
  "build-command": {
    kind: "text",
    value: "COMMAND",
    help: "Build command, run by sh",
  },
  "output-directory": { kind: "text", value: "PATH", help: "Directory to publish" },
  "trailing-slash": {
    kind: "text",
    value: "RULE",
    choices: TrailingSlash.options,
    help: "How pages are addressed, such as /about or /about/",
  },
  fallback: {
    kind: "text",
    value: "FILE",
    help: "File that answers for paths without a file, such as index.html; '' for none",
  },
  "asset-overlap": {
    kind: "text",
    value: "SECONDS",
    help: "How long files of earlier releases with a hash in their names stay reachable",
  },
  "release-command": {
    kind: "text",
    value: "COMMAND",
    help: "Command to run once before the switch, such as a migration",
  },
  "activate-command": {
    kind: "text",
    value: "COMMAND",
    help: "Command to run after the switch to the new release",
  },
  "root-directory": { kind: "text", value: "PATH", help: "Directory of the project in the repository" },
  domain: { kind: "text", value: "HOST", help: "Host name of the site" },
  "health-check": {
    kind: "text",
    value: "PATH",
    help: "Path that must answer with 200 before a release is switched to, such as /up",
  },
  "memory-limit": { kind: "text", value: "MIB", help: "Memory of the build, release and activate command" },
  "cpu-weight": { kind: "text", value: "N", help: "Their share of the CPU; other programs have 100" },
  "task-limit": { kind: "text", value: "N", help: "Their processes and threads" },
  "shared-path": { kind: "list", value: "PATH", help: "Path that all releases share" },
} as const satisfies OptionSpecs;

const limitOptions = {
  memory_mb: "memory-limit",
  cpu_weight: "cpu-weight",
  tasks: "task-limit",
} as const satisfies Record<keyof Limits, keyof typeof projectOptions>;

const limitNames = ["memory_mb", "cpu_weight", "tasks"] as const;

/** The given limits; `null` without any. Refuses all options that are not the numbers that they must be. */
export function limitFields(options: Options<typeof projectOptions>): Result<Limits | null> {
  const overlap = options["asset-overlap"];
  if (overlap !== null && !/^\d+$/.test(overlap))
    return stop("usage", "--asset-overlap must be a whole number of seconds, such as 86400 for a day.");
  const limits: Limits = {};
  for (const name of limitNames) {
    const text = options[limitOptions[name]];
    if (text === null) continue;
    if (!/^\d+$/.test(text)) return stop("usage", `--${limitOptions[name]} must be a whole number.`);
    limits[name] = Number(text);
  }
  return succeed(Object.keys(limits).length === 0 ? null : limits);
}

/** Explains empty commands in the help of a command. */
export const emptyCommands = "An empty command, such as --install-command '', runs nothing.";

const textOptions = {
  install_command: "install-command",
  build_command: "build-command",
  release_command: "release-command",
  activate_command: "activate-command",
  fallback: "fallback",
} as const;
const textNames = [
  "install_command",
  "build_command",
  "release_command",
  "activate_command",
  "fallback",
] as const;

type TextFields = Partial<Record<keyof typeof textOptions, string | null>>;

/** The given commands and fallback. An empty text becomes `null`: none. */
function textFields(options: Options<typeof projectOptions>): TextFields {
  const fields: TextFields = {};
  for (const name of textNames) {
    const text = options[textOptions[name]];
    if (text !== null) fields[name] = text === "" ? null : text;
  }
  return fields;
}

/** An empty path becomes `null`, which removes the check. */
function healthCheckField(path: string | null): { health_check?: { path: string } | null } {
  if (path === null) return {};
  return { health_check: path === "" ? null : { path } };
}

/** The fields of a request's body for the given options. The control plane validates their values. */
export function projectFields(options: Options<typeof projectOptions>, limits: Limits | null) {
  const { branch, framework, domain } = options;
  const paths = options["shared-path"];
  const given = givenFields({
    branch,
    commits: CommitRule.options.find((rule) => rule === options.commits) ?? null,
    approval: ApprovalRule.options.find((rule) => rule === options.approval) ?? null,
    framework,
    output_directory: options["output-directory"],
    trailing_slash: TrailingSlash.options.find((rule) => rule === options["trailing-slash"]) ?? null,
    asset_overlap: options["asset-overlap"] === null ? null : Number(options["asset-overlap"]),
    root_directory: options["root-directory"],
    domain,
    limits,
    shared_paths: paths.length === 0 ? null : [...paths],
  });
  return { ...given, ...textFields(options), ...healthCheckField(options["health-check"]) };
}
