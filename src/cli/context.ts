import type { CommandSpec, GlobalOptions } from "#cli/arguments/command-spec.ts";
import type { Output } from "#cli/output/output.ts";

/** What every command gets of the process that it runs in. */
export type Context = {
  readonly output: Output;
  readonly global: GlobalOptions;
  /** All that there are. */
  readonly commands: readonly CommandSpec[];
  readonly environment: NodeJS.ProcessEnv;
  /** Where the command was called. */
  readonly folder: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborted when somebody ends the command. */
  readonly signal: AbortSignal;
};
