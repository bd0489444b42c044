import * as schemas from "#contract/endpoints/commands/schemas.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const row = {
  id: example.command,
  project_id: example.project,
  server_id: example.server,
  command: "npm run migrate",
  timeout_seconds: 3600,
  actor: { type: "token", id: example.token, name: "CI of shop" },
  created_at: "2026-11-20T10:02:11.004Z",
} as const;

const running = {
  ...row,
  status: "running",
  exit_code: null,
  signal: null,
  message: null,
  release: 12,
  started_at: "2026-11-20T10:02:11.061Z",
  finished_at: null,
} as const;

const exited = {
  ...running,
  status: "exited",
  exit_code: 0,
  message: "ended with exit code 0",
  finished_at: "2026-11-20T10:02:14.870Z",
} as const;

export const commandTexts = {
  runCommand: {
    summary: "Run a command in the live release",
    description: prose`
      Runs a command once in the live release, with the variables that the live deployment runs with, also its secrets.
      It runs as the project's own user where projects are isolated, with \`sh -c\` in the root directory of the release.
      A deployment does not end it, and its release is kept until it has ended.

      The response comes when the command has started. Read its output and its end with
      \`GET /v1/projects/{project_id}/commands/{command_id}/output\`. The command line is stored, so it must not contain
      secrets: use variables. Of what the command prints, the values of secrets are hidden.

      The server's policy must allow it (409 \`refused_by_policy\`): without a policy file it allows no commands. A
      command is never queued: while the server is not connected, the response is 409 \`server_offline\`. Five commands
      of a project can run at the same time (409 \`too_many\`). To retry safely after a network error, send an
      \`Idempotency-Key\`: the command is then started once.`,
    body: { command: row.command },
    answer: running,
    location: `/v1/projects/${example.project}/commands/${example.command}`,
  },
  listCommands: {
    summary: "List the commands of a project",
    description: prose`
      Returns who ran which commands in the project, newest first, and how they ended. The newest 1,000 are kept. The
      server keeps the state of the newest 50. \`status\` is \`null\` for older commands, for all while the server is not
      connected, and for commands that never reached it because the connection broke.`,
    answer: { commands: [exited], next_cursor: null },
  },
  getCommand: {
    summary: "Get a command",
    description: prose`
      Returns a command and how it ended. The server answers this, so it must be connected. It keeps the newest 50
      commands of each project; an older command, and a command that never reached the server, is 404.`,
    answer: exited,
  },
  getCommandOutput: {
    summary: "Read the output of a command",
    description: prose`
      Returns the output of a command from \`offset\` on. To follow it, repeat the request with \`offset\` set to
      \`next_offset\` and with \`wait_seconds\`: the response then comes when there are new lines, when the command has
      ended, or after that time. It is complete when \`complete\` is true. A request can be repeated without a loss, also
      after a lost connection. The first 5 MiB of the output are kept.`,
    answer: {
      lines: [
        { stream: "stdout", message: "Applying 0042_add_prices" },
        { stream: "stdout", message: "1 migration applied" },
      ],
      next_offset: 118,
      complete: true,
      command: exited,
    },
  },
  stopCommand: {
    summary: "Stop a command",
    description: prose`
      Stops a command: its processes get SIGTERM, and SIGKILL if they still run after 10 seconds. If it has ended already,
      nothing happens. The response comes when it has ended, or after three seconds.`,
    body: {},
    answer: { ...exited, status: "stopped", exit_code: null, message: "was stopped" },
  },
} as const satisfies Partial<OperationTexts>;

const rowFields = {
  id: "The command's id.",
  project_id: "The project.",
  server_id: "The server on which it runs. `null`: it was run before a project could have several.",
  command: "The command line, which `sh -c` runs.",
  timeout_seconds: "After how many seconds it is stopped.",
  actor: "Who ran it.",
  created_at: "When it was requested.",
};

const stateFields = {
  status: "Its state.",
  exit_code: "Its exit code. `null`: it has not ended by itself.",
  signal: "The signal that ended it. `null`: none did.",
  message: "How it ended, such as `ended with exit code 1`. `null`: it runs.",
  release: "The release that it runs in.",
  started_at: "When it was started.",
  finished_at: "When it ended. `null`: it runs.",
};

export const commandSchemas = {
  CommandStatus: choice(schemas.CommandStatus, "The state of a command.", {
    running: "it runs",
    exited: "it ended by itself, with an exit code",
    killed: "a signal ended it, or it used more memory than its limit",
    stopped: "a user stopped it",
    timed_out: "it was stopped at its time limit",
    lost: "it was ended because the agent or its helper ended",
    not_started: "the server could not start it",
  }),
  RunCommandInput: object(schemas.RunCommandInput, "The command to run.", {
    command: rowFields.command,
    timeout_seconds: "After how many seconds it is stopped. Default: 3600.",
    server_id: "The server on which it runs, of several servers of the project. Default: the first.",
  }),
  CommandRow: object(
    schemas.CommandRow,
    "A command that was run. `status` is `null` if its state is not known.",
    {
      ...rowFields,
      ...stateFields,
      status: "Its state. `null`: its server does not keep it, or is not connected.",
      release: "The release that it runs in. `null`: not known.",
      started_at: "When it was started. `null`: not known.",
    },
  ),
  CommandRows: object(schemas.CommandRows, "A page of commands.", {
    commands: "The commands of this page, newest first.",
    next_cursor: nextCursor,
  }),
  CommandRun: object(schemas.CommandRun, "A command and how it ended.", { ...rowFields, ...stateFields }),
  CommandOutputLine: object(schemas.CommandOutputLine, "A line of the output of a command.", {
    stream: "Where the command printed it. `system`: a message of Gantry.",
    message: "The line.",
  }),
  CommandOutput: object(schemas.CommandOutput, "A part of the output of a command.", {
    lines: "The lines from `offset` on.",
    next_offset: "Where the output continues.",
    complete: "Whether the command has ended and these are its last lines.",
    command: "The command.",
  }),
} satisfies Record<string, SchemaText>;
