import type { Command } from "#build/process/command.ts";
import { shellQuote } from "#node/shell-quote.ts";

/** The variables that systemd sets for a unit. A command gets only the variables that the agent has chosen. */
const unitVariables = [
  "CREDENTIALS_DIRECTORY",
  "INVOCATION_ID",
  "JOURNAL_STREAM",
  "LANG",
  "MEMORY_PRESSURE_WATCH",
  "MEMORY_PRESSURE_WRITE",
  "SYSTEMD_EXEC_PID",
] as const;

/**
 * The shell script that a unit reads from its standard input: it sets the environment and becomes the command. So the
 * environment, which may contain secrets, is in no argument, no file and no property of the unit.
 */
export function jobScript({ argv, cwd, env }: Command): string {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  const words = argv.map(shellQuote).join(" ");
  return `unset ${unitVariables.join(" ")}\n${variables.join("")}cd ${shellQuote(cwd)} || exit 1\nexec ${words} </dev/null\n`;
}

/**
 * The job script of an app's instance. It opens its log file itself, as the project's user and in its sandbox, so that a
 * link in the place of the file leads nowhere else. Only this user and the agent may read the file.
 */
export function instanceScript(command: Command, logFile: string): string {
  const log = shellQuote(logFile);
  // On a full disk the app is more important than its output.
  const redirect = `if (: >> ${log}) 2>/dev/null; then exec >> ${log} 2>&1; fi`;
  return `umask 007\n${redirect}\numask 022\n${jobScript(command)}`;
}
