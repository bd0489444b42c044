import * as z from "zod/mini";

import { listUpTo, textUpTo, wholeFrom } from "#contract/bounds.ts";
import { Actor } from "#contract/endpoints/deployments/schemas.ts";
import { LogStream } from "#contract/endpoints/logs/schemas.ts";
import { CommandId, ProjectId, ServerId } from "#contract/ids.ts";
import { NextCursor, queryInteger } from "#contract/paging.ts";
import { CommandTimeout, ShellCommand } from "#contract/shell-command.ts";

/** How many one-off commands of a project can run at the same time. */
export const MAX_RUNNING_COMMANDS = 5;
/** How many a server keeps for each project, with their output. */
export const MAX_KEPT_COMMANDS = 50;
/** How many the control plane keeps for each project, without their output. */
export const MAX_LISTED_COMMANDS = 1000;
/** How much output of a command is kept. */
export const MAX_COMMAND_OUTPUT_BYTES = 5 * 1024 * 1024;
/** How long a read can wait for new output. */
export const MAX_COMMAND_WAIT_MS = 20_000;

export const DEFAULT_COMMAND_TIMEOUT = 3600;

export const RunCommandInput = z.strictObject({
  command: ShellCommand,
  timeout_seconds: z.optional(CommandTimeout),
  server_id: z.optional(ServerId),
});
export type RunCommandInput = z.infer<typeof RunCommandInput>;

/**
 * `killed`: a signal ended the command. `stopped`: a user stopped it. `lost`: it was ended because the agent or the
 * agent's helper ended. `not_started`: the server could not start it.
 */
export const CommandStatus = z.enum([
  "running",
  "exited",
  "killed",
  "stopped",
  "timed_out",
  "lost",
  "not_started",
]);
export type CommandStatus = z.infer<typeof CommandStatus>;

/** A command as its server sees it. `message`: how it ended, as part of a sentence. */
export const CommandState = z.strictObject({
  status: CommandStatus,
  exit_code: z.nullable(wholeFrom(0)),
  signal: z.nullable(textUpTo(20)),
  message: z.nullable(textUpTo(1000)),
  /** The release that it runs in. */
  release: wholeFrom(1),
  started_at: textUpTo(40),
  finished_at: z.nullable(textUpTo(40)),
});
export type CommandState = z.infer<typeof CommandState>;

/** The commands of a project that its server keeps. */
export const CommandStates = listUpTo(z.strictObject({ id: CommandId, state: CommandState }), 1000);
export type CommandStates = z.infer<typeof CommandStates>;

export const CommandOutputLine = z.strictObject({ stream: LogStream, message: z.string() });
export type CommandOutputLine = z.infer<typeof CommandOutputLine>;

/** A part of the output that an agent keeps. `next_offset`: where it continues after these lines. */
export const reportedOutput = {
  lines: listUpTo(CommandOutputLine, 20_000),
  next_offset: wholeFrom(0),
  /** Whether the command or run has ended and these are its last lines. */
  complete: z.boolean(),
};

/** An agent's answer about a command. */
export const CommandReading = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    state: CommandState,
    ...reportedOutput,
  }),
  z.strictObject({
    ok: z.literal(false),
    code: z.enum([
      "not_live",
      "refused_by_policy",
      "too_many",
      "secrets_not_sealed",
      "unknown_command",
      "failed",
    ]),
    message: textUpTo(2000),
  }),
]);
export type CommandReading = z.infer<typeof CommandReading>;

/** `server_id`: on which server; null: on the server of the project at that time, and it has one. */
const commandRow = {
  id: CommandId,
  project_id: ProjectId,
  server_id: z._default(z.nullable(ServerId), null),
  command: ShellCommand,
  timeout_seconds: CommandTimeout,
  actor: Actor,
  created_at: z.string(),
};

/** A command that was started. Its state is null if its server does not report it. */
export const CommandRow = z.strictObject({
  ...commandRow,
  status: z.nullable(CommandStatus),
  exit_code: CommandState.shape.exit_code,
  signal: CommandState.shape.signal,
  message: CommandState.shape.message,
  release: z.nullable(CommandState.shape.release),
  started_at: z.nullable(CommandState.shape.started_at),
  finished_at: CommandState.shape.finished_at,
});
export type CommandRow = z.infer<typeof CommandRow>;

export const CommandRows = z.strictObject({ commands: z.array(CommandRow), next_cursor: NextCursor });
export type CommandRows = z.infer<typeof CommandRows>;

export const CommandRun = z.strictObject({ ...commandRow, ...CommandState.shape });
export type CommandRun = z.infer<typeof CommandRun>;

export const CommandOutputQuery = z.strictObject({
  offset: z.optional(queryInteger(0, 100_000_000)),
  wait_seconds: z.optional(queryInteger(0, MAX_COMMAND_WAIT_MS / 1000)),
});
export type CommandOutputQuery = z.infer<typeof CommandOutputQuery>;

export const CommandOutput = z.strictObject({
  lines: z.array(CommandOutputLine),
  next_offset: wholeFrom(0),
  complete: z.boolean(),
  command: CommandRun,
});
export type CommandOutput = z.infer<typeof CommandOutput>;
