import { join } from "node:path";

import { type CommandSpec, globalOptions, type OptionSpecs } from "#cli/arguments/command-spec.ts";
import { choiceRows, optionHelp, optionName, usageOf } from "#cli/arguments/usage.ts";
import { commands } from "#cli/commands.ts";
import { exitCodes } from "#cli/exit-codes.ts";
import { variables } from "#cli/help.ts";

import { root } from "../shared/root.ts";

export const commandPagePath = join(root, "docs", "command.md");

const BEGIN = "<!-- commands -->";

/** Replaces everything below the mark of docs/command.md with the current table of commands. */
export function withCommandReference(page: string): string {
  const at = page.indexOf(BEGIN);
  if (at === -1) throw new Error(`docs/command.md lacks ${BEGIN}.`);
  return `${page.slice(0, at)}${BEGIN}\n${reference()}`;
}

function reference(): string {
  const exits = Object.values(exitCodes).map(({ code, when }) => `| ${code} | ${when} |\n`);
  const environment = variables.map(([name, help]) => `| \`${name}\` | ${help} |\n`);
  return [
    `## Exit codes\n\n| Code | When |\n|---|---|\n${exits.join("")}`,
    `## Environment\n\n| Variable | Meaning |\n|---|---|\n${environment.join("")}`,
    `## Global options\n\n| Option | Description |\n|---|---|\n${optionRows(globalOptions)}`,
    `## Commands\n`,
    ...commands.map(commandText),
  ].join("\n");
}

function commandText(command: CommandSpec): string {
  const { name, summary, details = [], words, options, examples = [] } = command;
  const wordRows = Object.entries(words).map(
    ([word, { help }]) => `| \`${word.toUpperCase()}\` | ${help} |\n`,
  );
  const rows = `${wordRows.join("")}${optionRows(options)}`;
  return [
    `### gantry ${name}\n`,
    `\`${usageOf(command)}\`\n`,
    `${[`${summary}.`, ...details].join(" ")}\n`,
    ...(rows === "" ? [] : [`| | |\n|---|---|\n${rows}`]),
    ...choiceRows(options).map(
      ([value, choices]) =>
        `| ${value} | What it is for |\n|---|---|\n${choices.map(([choice, text]) => `| \`${choice}\` | ${text} |\n`).join("")}`,
    ),
    ...(examples.length === 0
      ? []
      : [`\`\`\`sh\n${examples.map((line) => `gantry ${line}\n`).join("")}\`\`\`\n`]),
  ].join("\n");
}

function optionRows(specs: OptionSpecs): string {
  return Object.entries(specs)
    .map(([name, spec]) => `| \`${optionName(name, spec)}\` | ${optionHelp(spec)} |\n`)
    .join("");
}
