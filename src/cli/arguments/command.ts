import type { CommandSpec, Options, OptionSpecs, Words, WordSpecs } from "#cli/arguments/command-spec.ts";
import type { CommandContext } from "#cli/context.ts";
import type { Outcome } from "#cli/outcome.ts";

type Given<O extends OptionSpecs, W extends WordSpecs> = {
  readonly options: Options<O>;
  readonly words: Words<W>;
};

type Definition<O extends OptionSpecs, W extends WordSpecs> = CommandSpec<O, W> & {
  readonly run: (context: CommandContext, given: Given<O, W>) => Promise<Outcome>;
};

/** A command in the table of commands. */
export type Command = CommandSpec & {
  readonly run: (context: CommandContext, given: AnyGiven) => Promise<Outcome>;
};

/** The parsed options and arguments of any command. */
export type AnyGiven = {
  readonly options: Readonly<Record<string, boolean | string | null | readonly string[]>>;
  readonly words: Readonly<Record<string, string | null | readonly string[]>>;
};

/** Defines a command whose `run` receives its own options and arguments, typed by its specs. */
// Overloaded because the table's type cannot express that each command receives only its own options.
export function defineCommand<const O extends OptionSpecs, const W extends WordSpecs>(
  definition: Definition<O, W>,
): Command;
export function defineCommand(definition: Command): Command {
  return definition;
}
