import type { CommandSpec, OptionSpec, OptionSpecs } from "#cli/arguments/command-spec.ts";

/** `gantry logs [DEPLOYMENT] [options]` */
export function usageOf({ name, isGroupDefault, words, options }: CommandSpec): string {
  const [group, second] = name.split(" ");
  const spoken = isGroupDefault === true ? `${group} [${second}]` : name;
  const parts = Object.entries(words).map(([word, { isRequired }]) =>
    isRequired ? word.toUpperCase() : `[${word.toUpperCase()}]`,
  );
  const hasOptions = Object.keys(options).length > 0 ? ["[options]"] : [];
  return ["gantry", spoken, ...parts, ...hasOptions].join(" ");
}

/** `-f, --follow`, `--branch NAME` */
export function optionName(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  return `${short}--${name}${spec.kind === "flag" ? "" : ` ${spec.value}`}`;
}

/** What an option does, with what it can be. */
export function optionHelp(spec: OptionSpec): string {
  const choices = spec.kind === "flag" ? undefined : spec.choices;
  const among = choices === undefined ? "" : `: ${choices.join(", ")}`;
  return `${spec.help}${among}${spec.kind === "list" ? " (can be repeated)" : ""}`;
}

/** Options as rows of name and help. */
export function optionRows(specs: OptionSpecs): (readonly [string, string])[] {
  return Object.entries(specs).map(([name, spec]) => [optionName(name, spec), optionHelp(spec)]);
}
