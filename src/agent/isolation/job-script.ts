import type { Command } from "#build/process/command.ts";
import { shellQuote } from "#node/shell-quote.ts";

/** What systemd sets for a unit. A command gets only the agent's choice of variables. */
const unitVariables = ["INVOCATION_ID", "JOURNAL_STREAM", "LANG", "SYSTEMD_EXEC_PID"] as const;

/**
 * The shell script that a unit reads from its standard input: it sets the environment and becomes the command. So the
 * environment, which may contain secrets, is in no argument, no file and no property of the unit.
 */
export function jobScript({ argv, cwd, env }: Command): string {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  const words = argv.map(shellQuote).join(" ");
  return `unset ${unitVariables.join(" ")}\n${variables.join("")}cd ${shellQuote(cwd)} || exit 1\nexec ${words} </dev/null\n`;
}
