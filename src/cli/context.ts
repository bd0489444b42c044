import type { CommandSpec, GlobalOptions } from "#cli/arguments/command-spec.ts";
import type { Output } from "#cli/output/output.ts";

/** What a command receives from its process. */
export type CommandContext = {
  readonly output: Output;
  readonly global: GlobalOptions;
  /** All commands. */
  readonly commands: readonly CommandSpec[];
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly folder: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
};
