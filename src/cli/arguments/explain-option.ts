import type { Command } from "#cli/arguments/command.ts";
import { globalOptions } from "#cli/arguments/command-spec.ts";
import { didYouMean, suggest } from "#contract/lib/suggest.ts";

/** An option as it was typed. `value`: the word after it, or after its `=`; null: none. */
export type TypedOption = {
  readonly rawName: string;
  readonly name: string;
  readonly value: string | null;
};

/** Without --version, which no command takes. */
const GLOBAL_NAMES = Object.keys(globalOptions).filter((name) => name !== "version");

const PROGRAM_VERSION = "gantry --version prints the program's version.";

/** Why a command does not take an option, and what to type instead. */
export function explainOption(command: Command, { rawName, name, value }: TypedOption): string {
  const typed = rawName.replace(/^-+/, "");
  const meant = meantBy(command, typed) ?? meantBy(command, name);
  if (meant === undefined) {
    const similar = suggest(typed, Object.keys(command.otherNames ?? {}));
    if (similar !== null && typed.length > 2)
      return explainOption(command, { rawName, name: similar, value });
    const own = [...Object.keys(command.options), ...GLOBAL_NAMES];
    const hint = name === "version" ? ` ${PROGRAM_VERSION}` : didYouMean(typed, own, "--");
    return `gantry ${command.name} has no option ${rawName}.${hint}`;
  }
  const shown = value ?? (meant === null ? firstWord(command) : valueName(command, meant));
  const instead = meant === null ? `gantry ${command.name} ${shown}` : `--${meant} ${shown}`.trimEnd();
  return `gantry ${command.name} has no option ${rawName}. Use ${instead}.`;
}

/** An option that no command has, typed without a command. */
export function explainUnknown(rawName: string, names: readonly string[]): string {
  const hint = /^-v$/i.test(rawName)
    ? ` ${PROGRAM_VERSION}`
    : didYouMean(rawName.replace(/^-+/, ""), names, "--");
  return `Unknown option ${rawName}.${hint}`;
}

/** The option that does what another name is typed for; null: the argument does it; undefined: nothing is known. */
function meantBy({ otherNames, words }: Command, typed: string): string | null | undefined {
  if (otherNames !== undefined && Object.hasOwn(otherNames, typed)) return otherNames[typed];
  return "deployment" in words && DEPLOYMENT_NAMES.has(typed) ? null : undefined;
}

/** What people type to name a deployment, where it is the argument. */
const DEPLOYMENT_NAMES: ReadonlySet<string> = new Set(["version", "to", "id", "deployment", "release"]);

function firstWord({ words }: Command): string {
  return (Object.keys(words)[0] ?? "").toUpperCase();
}

function valueName({ options }: Command, name: string): string {
  const spec = options[name];
  return spec === undefined || spec.kind === "flag" ? "" : spec.value;
}
