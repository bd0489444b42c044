import { parseArgs } from "node:util";

import type { AnyGiven, Command } from "#cli/arguments/command.ts";
import {
  type GlobalOptions,
  globalOptions,
  type OptionSpec,
  type OptionSpecs,
} from "#cli/arguments/command-spec.ts";
import { explainOption, explainUnknown, type TypedOption } from "#cli/arguments/explain-option.ts";
import { findCommand } from "#cli/arguments/find-command.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

/** A parsed command line. `command` is null if none was named: then `--help` prints the general help. */
export type Arguments = {
  readonly command: Command | null;
  readonly global: GlobalOptions;
  readonly given: AnyGiven;
};

type Values = Map<string, string[]>;

/** Whether `--json` was given. Needed before the rest is parsed, to print parse errors as JSON. */
export function wantsJson(argv: readonly string[]): boolean {
  return argv.includes("--json");
}

/** Parses the command line. @param argv without the paths of node and the script */
export function readArguments(argv: readonly string[], commands: readonly Command[]): Result<Arguments> {
  // Finding the command requires knowing which words are option values, so an option has one kind in all commands.
  const known: OptionSpecs = Object.fromEntries(
    [globalOptions, ...commands.map(({ options }) => options)].flatMap((specs) =>
      Object.entries<OptionSpec>(specs),
    ),
  );
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(Object.entries(known).map(([name, spec]) => [name, toNode(spec)])),
  });

  const words: string[] = [];
  const values: Values = new Map();
  const typed: TypedOption[] = [];
  const named = namedIn(tokens, commands);
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const next = tokens[at + 1];
    const option = { name, rawName, value: value ?? (next?.kind === "positional" ? next.value : null) };
    typed.push(option);
    if (name === "version" && named !== null && words[0] !== "help")
      return stop("usage", explainOption(named, option) + seeHelp(named));
    // Object.prototype has keys such as "constructor".
    const spec = Object.hasOwn(known, name) ? known[name] : undefined;
    if (spec === undefined) {
      const unknown =
        rawName === "--token"
          ? NO_TOKEN
          : named === null
            ? explainUnknown(rawName, Object.keys(known))
            : explainOption(named, option) + seeHelp(named);
      return stop("usage", unknown + afterDashes(words));
    }
    if (spec.kind === "flag") {
      if (value !== undefined) return stop("usage", `${rawName} takes no value.`);
      values.set(name, []);
      continue;
    }
    if (value === undefined || (!inlineValue && value.startsWith("-")))
      return stop("usage", `${rawName} needs a value: ${rawName}=${spec.value}.`);
    values.set(name, [...(spec.kind === "list" ? (values.get(name) ?? []) : []), value]);
  }

  // `gantry help deploy` is `gantry deploy --help`.
  const isHelp = words[0] === "help";
  // `gantry version` is `gantry --version`.
  const isVersion = words[0] === "version" && words.length === 1;
  const read = readGlobal(values);
  const global = { ...read, help: read.help || isHelp, version: read.version || isVersion };
  const found = findCommand(isHelp || isVersion ? words.slice(1) : words, commands);
  if (!found.ok) return found;
  if (found.value === null) return succeed({ command: null, global, given: { options: {}, words: {} } });
  const { command, rest } = found.value;
  const foreign = typed.find(
    ({ name }) => !Object.hasOwn(command.options, name) && !Object.hasOwn(globalOptions, name),
  );
  if (foreign !== undefined)
    return stop(
      "usage",
      foreign.name === "token"
        ? NO_TOKEN
        : explainOption(command, foreign) + seeHelp(command) + afterDashes(words),
    );
  if (global.help || global.version) return succeed({ command, global, given: { options: {}, words: {} } });

  const wrong = refuseOtherChoice(command, values);
  if (wrong !== null) return wrong;
  const given = readWords(command, rest);
  if (!given.ok) return given;
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [name, valueOf(spec, values.get(name))]),
  );
  return succeed({ command, global, given: { options, words: given.value } });
}

/** Refuses a value that is none of the command's choices. Other commands with the same option have other choices. */
function refuseOtherChoice({ options }: Command, values: Values) {
  for (const [name, spec] of Object.entries<OptionSpec>(options)) {
    if (spec.kind === "flag" || spec.choices === undefined) continue;
    const { choices } = spec;
    const other = values.get(name)?.find((value) => !choices.includes(value));
    if (other !== undefined)
      return stop("usage", `--${name} must be one of ${choices.join(", ")}.${didYouMean(other, choices)}`);
  }
  return null;
}

function toNode(spec: OptionSpec) {
  return {
    type: spec.kind === "flag" ? ("boolean" as const) : ("string" as const),
    ...(spec.short === undefined ? {} : { short: spec.short }),
  };
}

function valueOf(spec: OptionSpec, given: readonly string[] | undefined) {
  switch (spec.kind) {
    case "flag":
      return given !== undefined;
    case "text":
      return given?.at(-1) ?? null;
    case "list":
      return given ?? [];
  }
}

function readGlobal(values: Values): GlobalOptions {
  const text = (name: string) => values.get(name)?.at(-1) ?? null;
  return {
    json: values.has("json"),
    url: text("url"),
    project: text("project"),
    wait: text("wait"),
    help: values.has("help"),
    version: values.has("version"),
  };
}

function readWords(command: Command, rest: readonly string[]): Result<AnyGiven["words"]> {
  const specs = Object.entries(command.words);
  const extra = rest[specs.length];
  if (extra !== undefined && specs.at(-1)?.[1].isList !== true) {
    const option = command.meantByExtra;
    const meant = option === undefined ? "" : ` Did you mean --${option} ${extra}?`;
    return stop("usage", `gantry ${command.name} takes no argument "${extra}".${meant}${seeHelp(command)}`);
  }
  const words: Record<string, string | null | readonly string[]> = {};
  for (const [at, [name, { isRequired, isList, choices }]] of specs.entries()) {
    const word = rest[at] ?? null;
    if (word === null && isRequired) {
      const values = choices === undefined ? "" : `: ${choices.join(", ")}`;
      return stop("usage", `gantry ${command.name} needs ${name.toUpperCase()}${values}.${seeHelp(command)}`);
    }
    if (word !== null && choices !== undefined && !choices.includes(word))
      return stop(
        "usage",
        `${name.toUpperCase()} must be one of ${choices.join(", ")}.${didYouMean(word, choices)}`,
      );
    words[name] = isList === true ? rest.slice(at) : word;
  }
  return succeed(words);
}

const NO_TOKEN =
  "There is no option --token, because other users of this machine could see it. Use GANTRY_TOKEN or gantry login.";

/** The command that a line names, also if the line is wrong elsewhere; null: none. */
function namedIn(
  tokens: readonly { readonly kind: string; readonly value?: string | undefined }[],
  commands: readonly Command[],
): Command | null {
  const words = tokens.flatMap(({ kind, value }) =>
    kind === "positional" && value !== undefined ? [value] : [],
  );
  const found = findCommand(words.slice(words[0] === "help" ? 1 : 0), commands);
  return found.ok ? (found.value?.command ?? null) : null;
}

/** A hint for an option that may belong to the command line that gantry run passes on. */
const afterDashes = ([command]: readonly string[]): string =>
  command === "run" ? " The command's own options come after --, as in gantry run -- ls -l." : "";

const seeHelp = ({ name }: Command): string => ` See gantry ${name} --help.`;
