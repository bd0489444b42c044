import { spawn } from "node:child_process";

import type { CommandContext } from "#cli/context.ts";
import { variable } from "#cli/settings/variable.ts";

/** Opens an address in a browser, if there is a terminal and a desktop. @returns false if there is none */
export function openBrowser(
  context: Pick<CommandContext, "output" | "environment">,
  address: string,
): boolean {
  const program = browserProgram(context);
  if (program === null) return false;
  spawn(program, [address], { stdio: "ignore", detached: true, env: context.environment })
    .on("error", () => undefined)
    .unref();
  return true;
}

/** The program that opens an address in a browser; null without a terminal or a desktop. */
export function browserProgram({
  output,
  environment,
}: Pick<CommandContext, "output" | "environment">): string | null {
  if (output.form !== "terminal" || variable(environment, "SSH_CONNECTION") !== null) return null;
  if (process.platform === "darwin") return "open";
  const hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => variable(environment, name) !== null);
  return process.platform !== "win32" && hasDesktop ? "xdg-open" : null;
}
