/**
 * A program to start, without a shell. `env` is its complete environment. `engine`: it makes containers, and runs in a sandbox
 * that allows that.
 */
export type Command = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly engine?: "podman";
};

/**
 * How a command ended. `stopped`: the agent stopped the command, and no process of its group is left. `not_started`:
 * the program or the folder does not exist, or the system has no room for another process. `out_of_memory`: the kernel
 * ended the command at its memory limit; `null` when it had no limit and the server had no memory left. `lost`: the
 * command was started and has ended, and nobody knows how.
 */
export type ProcessEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "out_of_memory"; readonly limitMb: number | null }
  | { readonly kind: "stopped" }
  | { readonly kind: "not_started"; readonly message: string }
  | { readonly kind: "lost"; readonly message: string };

export function hasSucceeded(end: ProcessEnd): boolean {
  return end.kind === "exited" && end.code === 0;
}
