import type { CommandSpec } from "#cli/arguments/command-spec.ts";
import { bashScript } from "#cli/completion/bash.ts";
import { completionsOf } from "#cli/completion/completions.ts";
import { fishScript } from "#cli/completion/fish.ts";
import { zshScript } from "#cli/completion/zsh.ts";

const scripts = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);
export const shells = [...scripts.keys()];

/** The completion script of one of `shells`; null for another name. */
export function completionScript(shell: string, commands: readonly CommandSpec[]): string | null {
  return scripts.get(shell)?.(completionsOf(commands)) ?? null;
}
