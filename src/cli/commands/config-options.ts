import type { OptionSpecs, WordSpecs } from "#cli/arguments/command-spec.ts";
import { acceptKeyOption } from "#cli/variables/trust-seal-keys.ts";

export const fileWord = {
  file: { isRequired: false, help: "Path of the file, in TOML or JSON by its ending (default: gantry.toml)" },
} as const satisfies WordSpecs;

/** The options that decide what a plan has. */
export const configOptions = {
  prune: { kind: "flag", help: "Delete what the file does not have, of the kinds that it has" },
  secrets: { kind: "flag", help: "Send secrets again that exist, with their values in the environment" },
} as const satisfies OptionSpecs;

export const acceptOptions = acceptKeyOption;

export const fileDetails =
  "The file has projects, variables, hooks, webhooks, freezes, trust rules and the grants of members. What it does not name stays as it is, unless --prune deletes it: also a process, a cron job or a variable. A setting that it leaves out of a project has its default.";
