/** An option of a command. Help shows `value` as its argument; a `list` can be repeated. */
export type OptionSpec = { readonly short?: string; readonly help: string } & (
  | { readonly kind: "flag" }
  | {
      readonly kind: "text" | "list";
      readonly value: string;
      readonly choices?: readonly string[];
      /** What each choice means; help lists the choices with it. */
      readonly choiceTexts?: Readonly<Record<string, string>>;
    }
);
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** A positional argument, after the command's name. Only the last ones can be optional; the last can be a list. */
export type WordSpec = {
  readonly help: string;
  readonly isRequired: boolean;
  readonly isList?: boolean;
  readonly choices?: readonly string[];
};
export type WordSpecs = Readonly<Record<string, WordSpec>>;

/** The parsed options: an omitted flag is `false`, an omitted text `null`, an omitted list `[]`. */
export type Options<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name]["kind"] extends "flag"
    ? boolean
    : Specs[Name]["kind"] extends "list"
      ? readonly string[]
      : string | null;
};

/** The parsed arguments: an omitted optional one is `null`, an omitted list `[]`. */
export type Words<Specs extends WordSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { readonly isList: true }
    ? readonly string[]
    : Specs[Name]["isRequired"] extends true
      ? string
      : string | null;
};

/** A command without its code. Usage, help, completion and docs are generated from it. */
export type CommandSpec<O extends OptionSpecs = OptionSpecs, W extends WordSpecs = WordSpecs> = {
  /** One word, or two where the first is a group: `tokens create`. */
  readonly name: string;
  /** The group's name alone runs this command. */
  readonly isGroupDefault?: boolean;
  /** An imperative phrase without a full stop. */
  readonly summary: string;
  /** Paragraphs of whole sentences. */
  readonly details?: readonly string[];
  readonly options: O;
  readonly words: W;
  /** The option that takes what people write as an argument. */
  readonly meantByExtra?: keyof O & string;
  /** Names of options that people type, and the option that does it here; null: it is the argument. */
  readonly otherNames?: Readonly<Record<string, (keyof O & string) | null>>;
  /** Command lines without `gantry`. */
  readonly examples?: readonly string[];
};

/** The options of every command. */
export const globalOptions = {
  json: { kind: "flag", help: "Print JSON: one document, or one line per event" },
  url: { kind: "text", value: "URL", help: "Installation URL; overrides GANTRY_URL" },
  project: {
    kind: "text",
    short: "p",
    value: "PROJECT",
    help: "Project name or ID; overrides GANTRY_PROJECT",
  },
  wait: {
    kind: "text",
    value: "SECONDS",
    help: "How long to retry failed requests (default: 10, or 600 with --follow)",
  },
  help: { kind: "flag", short: "h", help: "Show help" },
  version: { kind: "flag", help: "Print the version" },
} as const satisfies OptionSpecs;
export type GlobalOptions = Options<typeof globalOptions>;
