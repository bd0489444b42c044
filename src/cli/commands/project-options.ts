import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import {
  settingUses,
  type TextSetting,
  textSettings,
} from "#contract/endpoints/projects/project-settings.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { CommitRule, type Limits, TrailingSlash } from "#contract/endpoints/projects/settings.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";

/**
 * The project settings that have an option. An option with the name of its setting needs nothing else. The API has more
 * settings (see `/docs` of the installation).
 */
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
  for (const [setting, option] of settingOptions) {
    const text = options[option];
    if (settingUses[setting].kind === "number" && typeof text === "string" && !/^\d+$/.test(text))
      return stop("usage", `--${option} must be a whole number of ${unitOf(option)}.`);
  }
  const limits: Limits = {};
  for (const name of limitNames) {
    const text = options[limitOptions[name]];
    if (text === null) continue;
    if (!/^\d+$/.test(text)) return stop("usage", `--${limitOptions[name]} must be a whole number.`);
    limits[name] = Number(text);
  }
  return succeed(Object.keys(limits).length === 0 ? null : limits);
}

const unitOf = (option: keyof typeof projectOptions): string => projectOptions[option].value.toLowerCase();

/** Explains empty commands in the help of a command. */
export const emptyCommands = "An empty command, such as --install-command '', runs nothing.";

/** The options that are named as their setting is, and which the kind of the setting says how to read. */
const settingOptions = textSettings.flatMap((setting) => {
  const option = Object.keys(projectOptions)
    .filter(isOption)
    .find((one) => settingNamed(one) === setting);
  return option === undefined ? [] : [[setting, option] as const];
});

function isOption(name: string): name is keyof typeof projectOptions {
  return Object.hasOwn(projectOptions, name);
}

/** `--shared-path` is for one path of `shared_paths`. */
function settingNamed(option: string): string {
  return option === "shared-path" ? "shared_paths" : option.replaceAll("-", "_");
}

type SettingFields = Partial<
  Pick<UpdateProjectInput, Exclude<TextSetting, "name" | "server_id" | "repository">>
>;

/** The settings with a given option. */
// Overloaded because the command's options have the types of the settings only by name.
function settingFields(options: Options<typeof projectOptions>): SettingFields;
function settingFields(options: Options<typeof projectOptions>): object {
  const given = settingOptions.flatMap(([setting, option]): [string, unknown][] => {
    const value = options[option];
    if (typeof value === "string") return [[setting, valueOf(setting, value)]];
    return value === null || value.length === 0 ? [] : [[setting, [...value]]];
  });
  return Object.fromEntries(given);
}

/** An empty command becomes `null`: none. */
function valueOf(setting: TextSetting, text: string): string | number | null {
  switch (settingUses[setting].kind) {
    case "number":
      return Number(text);
    case "optional":
    case "automatic_or_none":
      return text === "" ? null : text;
    case "text":
    case "automatic":
    case "lines":
      return text;
  }
}

/** An empty path becomes `null`, which removes the check. */
function healthCheckField(path: string | null): { health_check?: { path: string } | null } {
  if (path === null) return {};
  return { health_check: path === "" ? null : { path } };
}

/** The fields of a request's body for the given options. The control plane validates their values. */
export function projectFields(options: Options<typeof projectOptions>, limits: Limits | null) {
  return {
    ...settingFields(options),
    ...givenFields({ limits }),
    ...healthCheckField(options["health-check"]),
  };
}
