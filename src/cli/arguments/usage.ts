import type { CommandSpec, OptionSpec, OptionSpecs } from "#cli/arguments/command-spec.ts";

/** `gantry logs [DEPLOYMENT] [options]` */
export function usageOf({ name, isGroupDefault, words, options }: CommandSpec): string {
  const [group, second] = name.split(" ");
  const shownName = isGroupDefault === true ? `${group} [${second}]` : name;
  const parts = Object.entries(words).map(([word, { isRequired, isList }]) => {
    const shown = `${word.toUpperCase()}${isList === true ? "..." : ""}`;
    return isRequired ? shown : `[${shown}]`;
  });
  const hasOptions = Object.keys(options).length > 0 ? ["[options]"] : [];
  return ["gantry", shownName, ...parts, ...hasOptions].join(" ");
}

/** `-f, --follow`, `--branch NAME` */
export function optionName(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  return `${short}--${name}${spec.kind === "flag" ? "" : ` ${spec.value}`}`;
}

/** The help text of an option, with its choices unless each has a text of its own. */
export function optionHelp(spec: OptionSpec): string {
  const choices = spec.kind === "flag" || spec.choiceTexts !== undefined ? undefined : spec.choices;
  const choiceList = choices === undefined ? "" : `: ${choices.join(", ")}`;
  return `${spec.help}${choiceList}${spec.kind === "list" ? " (can be repeated)" : ""}`;
}

/** A row of name and help for each option. */
export function optionRows(specs: OptionSpecs): (readonly [string, string])[] {
  return Object.entries(specs).map(([name, spec]) => [optionName(name, spec), optionHelp(spec)]);
}

/** Rows of choice and text for each option whose choices have texts, by the option's value such as SCOPE. */
export function choiceRows(
  specs: OptionSpecs,
): (readonly [string, readonly (readonly [string, string])[]])[] {
  return Object.values(specs).flatMap((spec) =>
    spec.kind === "flag" || spec.choiceTexts === undefined
      ? []
      : [[spec.value, Object.entries(spec.choiceTexts)] as const],
  );
}
