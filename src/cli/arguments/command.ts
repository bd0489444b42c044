import type { Context } from "#cli/context.ts";
import type { Outcome } from "#cli/outcome.ts";

/** An option of a command. `value` names what it takes, in help; a `list` can be given several times. */
export type OptionSpec = { readonly short?: string; readonly help: string } & (
  | { readonly kind: "flag" }
  | { readonly kind: "text" | "list"; readonly value: string; readonly choices?: readonly string[] }
);
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** A word after the command's name. Only the last ones can be left out. */
export type WordSpec = {
  readonly help: string;
  readonly isRequired: boolean;
  readonly choices?: readonly string[];
};
export type WordSpecs = Readonly<Record<string, WordSpec>>;

/** What was given for the options: `false`, `null` and `[]` where nothing was. */
export type Options<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name]["kind"] extends "flag"
    ? boolean
    : Specs[Name]["kind"] extends "list"
      ? readonly string[]
      : string | null;
};

/** What was given for the words: `null` where one that can be left out was. */
export type Words<Specs extends WordSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name]["isRequired"] extends true ? string : string | null;
};

export type Given<O extends OptionSpecs, W extends WordSpecs> = {
  readonly options: Options<O>;
  readonly words: Words<W>;
};

type Definition<O extends OptionSpecs, W extends WordSpecs> = {
  /** One word, or two where the first is a group: `tokens create`. */
  readonly name: string;
  /** The first word alone means this command too. */
  readonly isGroupDefault?: boolean;
  /** Half a sentence, without a full stop. */
  readonly summary: string;
  /** Whole sentences, a paragraph each. */
  readonly details?: readonly string[];
  readonly options: O;
  readonly words: W;
  /** Lines to type, without `gantry`. */
  readonly examples?: readonly string[];
  readonly run: (context: Context, given: Given<O, W>) => Promise<Outcome>;
};

/** A command as the table has it: usage, help, completion and docs are made of it. */
export type Command = Omit<Definition<OptionSpecs, WordSpecs>, "run"> & {
  readonly run: (context: Context, given: AnyGiven) => Promise<Outcome>;
};

/** What was given, before it is known for which command. */
export type AnyGiven = {
  readonly options: Readonly<Record<string, boolean | string | null | readonly string[]>>;
  readonly words: Readonly<Record<string, string | null>>;
};

/** A command whose `run` gets what its options and words say. */
// Overloaded because the table's type cannot say that each command is only ever given its own options.
export function defineCommand<const O extends OptionSpecs, const W extends WordSpecs>(
  definition: Definition<O, W>,
): Command;
export function defineCommand(definition: Command): Command {
  return definition;
}

/** The options that every command has. */
export const globalOptions = {
  json: { kind: "flag", help: "Print JSON: one document, or one line for each event" },
  url: { kind: "text", value: "URL", help: "The installation; GANTRY_URL without it" },
  project: { kind: "text", short: "p", value: "PROJECT", help: "The project's name or id; GANTRY_PROJECT" },
  wait: {
    kind: "text",
    value: "SECONDS",
    help: "How long to try to reach the control plane: 10, or 600 while following",
  },
  help: { kind: "flag", short: "h", help: "Say what a command does" },
  version: { kind: "flag", help: "Print the version" },
} as const satisfies OptionSpecs;
export type GlobalOptions = Options<typeof globalOptions>;
