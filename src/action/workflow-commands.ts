import { oneLine } from "#contract/log-text.ts";

/**
 * A workflow command, which the runner carries out when it is printed. Values can be anything: a line break in one cannot
 * begin another command.
 * Source: GitHub, "Workflow commands for GitHub Actions"; the escapes are the runner's own (`ActionCommand.cs`).
 */
export function workflowCommand(
  name: "error" | "warning" | "notice" | "group" | "endgroup" | "add-mask",
  value = "",
  properties: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(properties).map(([key, text]) => `${key}=${escapeProperty(text)}`);
  return `::${name}${given.length === 0 ? "" : ` ${given.join(",")}`}::${escapeData(value)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/**
 * Text as one line of output that is no workflow command. The runner reads `::name::` at the beginning of a line, and the older
 * form `##[name]` anywhere in it.
 */
export function inertLine(text: string): string {
  const line = oneLine(text).replaceAll("##[", "# #[");
  return /^\s*::/.test(line) ? `| ${line}` : line;
}

/**
 * A value in one of the files in which a step sets outputs and state.
 * @param delimiter random, so that the value cannot contain it and set another name
 */
export function fileEntry(name: string, value: string, delimiter: string): string {
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}
