import type { CommandSpec } from "#cli/arguments/command-spec.ts";
import { bashScript } from "#cli/completion/bash.ts";
import { completionsOf } from "#cli/completion/completions.ts";
import { fishScript } from "#cli/completion/fish.ts";
import { zshScript } from "#cli/completion/zsh.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The completion script of a shell. */
export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  const completions = completionsOf(commands);
  switch (shell) {
    case "bash":
      return bashScript(completions);
    case "zsh":
      return zshScript(completions);
    case "fish":
      return fishScript(completions);
  }
}
