import { type CommandSpec, globalOptions, type OptionSpec } from "#cli/arguments/command-spec.ts";

export type Suggestion = { readonly word: string; readonly help: string };

/** The candidates after a command or a group of commands. `path` is its name, or "" for the start of the line. */
export type Completions = {
  readonly path: string;
  readonly words: readonly Suggestion[];
  readonly options: readonly (Suggestion & {
    readonly short: string | null;
    /** Null for a flag; empty if any value is allowed. */
    readonly values: readonly string[] | null;
  })[];
};

/** The candidates for the start of the line, each group and each command. */
export function completionsOf(commands: readonly CommandSpec[]): readonly Completions[] {
  const groups = [...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? [firstWord(name)] : [])))];
  const firsts = commands.map(({ name, summary }) => ({
    word: firstWord(name),
    help: name.includes(" ") ? groupHelp(firstWord(name), commands) : summary,
  }));
  const start = { path: "", words: uniqueWords(firsts), options: optionsOf({}) };
  const ofGroups = groups.map((group) => {
    const members = commands.filter(({ name }) => name.startsWith(`${group} `));
    const fallback = members.find(({ isGroupDefault }) => isGroupDefault === true);
    const words = members.map(({ name, summary }) => ({ word: name.slice(group.length + 1), help: summary }));
    return { path: group, words, options: optionsOf(fallback?.options ?? {}) };
  });
  const ofCommands = commands.map((command) => {
    const [choices = []] = Object.values(command.words).map((word) => word.choices ?? []);
    return {
      path: command.name,
      words: choices.map((word) => ({ word, help: "" })),
      options: optionsOf(command.options),
    };
  });
  return [start, ...ofGroups, ...ofCommands];
}

/**
 * What a script needs to find the command on a line: all paths except "", the options with a value (`valued`), and the
 * long and short names of those options (`taking`).
 */
export function wordsToScan(completions: readonly Completions[]) {
  const paths = completions.map(({ path }) => path).filter((path) => path !== "");
  const valued = completions.flatMap(({ options }) => options.filter(({ values }) => values !== null));
  const taking = [...new Set(valued.flatMap(({ word, short }) => (short === null ? [word] : [word, short])))];
  return { paths, valued, taking };
}

function optionsOf(own: CommandSpec["options"]): Completions["options"] {
  return Object.entries<OptionSpec>({ ...own, ...globalOptions }).map(([name, spec]) => ({
    word: `--${name}`,
    help: spec.help,
    short: spec.short === undefined ? null : `-${spec.short}`,
    values: spec.kind === "flag" ? null : (spec.choices ?? []),
  }));
}

function groupHelp(group: string, commands: readonly CommandSpec[]): string {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  return members.map(({ name }) => name.slice(group.length + 1)).join(", ");
}

function uniqueWords(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  return [...new Map(suggestions.map((each) => [each.word, each])).values()];
}

const firstWord = (name: string): string => name.split(" ")[0] ?? name;
