import { type CommandSpec, globalOptions } from "#cli/arguments/command-spec.ts";
import { choiceRows, optionRows, usageOf } from "#cli/arguments/usage.ts";
import { exitCodes } from "#cli/exit-codes.ts";

/** The environment variables that the command reads. */
export const variables = [
  ["GANTRY_URL", "Installation URL, such as https://gantry.example.com"],
  ["GANTRY_TOKEN", "API token; overrides the token that gantry login stored"],
  ["GANTRY_ID_TOKEN", "Identity token of a CI job, which is exchanged for a token by a trust rule"],
  ["GANTRY_TRUST_RULE", "ID of the trust rule to use, if several trust the job"],
  ["GANTRY_PROJECT", "Project name or ID"],
  ["GANTRY_KEYRING", "off: gantry login stores tokens in a file, and not in the keyring"],
  ["NO_COLOR", "Any value disables colours"],
] as const;

/** What `gantry --help` prints. */
export function generalHelp(commands: readonly CommandSpec[]): string {
  return [
    "Deploy git repositories and images to your own servers.",
    "",
    "usage: gantry COMMAND [options]",
    "",
    ...rows(commands.map((command) => [command.name, command.summary])),
    "",
    "Global options:",
    ...rows(optionRows(globalOptions)),
    "",
    "Environment:",
    ...rows(variables),
    "",
    "Exit codes:",
    ...rows(Object.values(exitCodes).map(({ code, when }) => [`${code}`, when])),
  ].join("\n");
}

/**
 * What `gantry COMMAND --help` prints. @param commands all commands: the commands of a group are listed with its
 * default
 */
export function commandHelp(command: CommandSpec, commands: readonly CommandSpec[]): string {
  const { summary, details = [], words, options, examples = [] } = command;
  const wordRows = Object.entries(words).map(([name, { help }]) => [name.toUpperCase(), help] as const);
  const [group] = command.name.split(" ");
  const others = commands.filter(
    (other) => command.isGroupDefault === true && other !== command && other.name.startsWith(`${group} `),
  );
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines];
  return [
    `usage: ${usageOf(command)}`,
    "",
    `${summary}.`,
    ...details.flatMap((paragraph) => ["", paragraph]),
    ...section("Arguments:", rows(wordRows)),
    ...section("Options:", rows(optionRows(options))),
    ...choiceRows(options).flatMap(([value, choices]) => section(`${value} is one of:`, rows(choices))),
    ...section(
      "Examples:",
      examples.map((example) => `  gantry ${example}`),
    ),
    ...section("Other commands:", rows(others.map(({ name, summary: does }) => [name, does]))),
    "",
    "Run gantry --help for global options and exit codes.",
  ].join("\n");
}

function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
