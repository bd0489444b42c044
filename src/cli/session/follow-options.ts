import { emergencyOption } from "#cli/session/emergency-option.ts";
import { warningsOption } from "#cli/views/log-printer.ts";

/** The options of commands that start a deployment without a build. */
export const followOptions = {
  follow: { kind: "flag", short: "f", help: "Show the log until the change has taken effect" },
  ...warningsOption,
} as const;

/** The same, and the option with which they pass freezes and approvals. */
export const startOptions = { ...followOptions, ...emergencyOption } as const;

/** Explains these commands in their help. */
export const configDetails =
  "This is a deployment of the live release without a build. With --follow, the exit code is 0 only if it is live at the end. Ctrl-C ends the command, not the deployment.";
