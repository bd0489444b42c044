import type {
  CommandOutput,
  CommandOutputQuery,
  CommandRows,
  CommandRun,
} from "#contract/endpoints/commands/schemas.ts";
import { CommandId, type ProjectId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE, type PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  type CommandRecord,
  findCommand,
  listCommands as readCommands,
} from "#worker/db/commands/command-records.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import {
  askAboutCommand,
  askForStates,
  type ReadRefusal,
} from "#worker/operations/commands/ask-for-command.ts";
import { onServer } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readPage } from "#worker/paging.ts";
import { commandRow, commandView } from "#worker/views/command-view.ts";

/** Lists who ran which commands in a project, newest first, with the state of the commands that the server keeps. */
export async function listCommands(
  context: Context,
  projectId: ProjectId,
  query: PageQuery,
): Promise<Result<CommandRows, "invalid_request" | "not_found">> {
  const { rows } = context;
  const list = {
    ...{ name: `commands ${projectId}`, key: CommandId, keyOf: ({ id }: CommandRecord) => id },
    read: (position: { after: CommandId | null; limit: number }) => readCommands(rows, projectId, position),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  const { rows: records, nextCursor } = page.value;
  if (records.length === 0) {
    // Only a project that exists has commands.
    const exists = (await findServedProject(rows, projectId)) !== null;
    return exists ? succeed({ commands: [], next_cursor: null }) : notFound("project");
  }
  const servers = [...new Set(records.map(({ keptOn }) => keptOn))];
  const answers = await Promise.all(
    servers.map(async (serverId) =>
      // A server that was sent a command has a link.
      askForStates(context, { id: projectId, serverId, serverLocation: null }),
    ),
  );
  const states = new Map(answers.flatMap((known) => [...known]));
  const commands = records.map((record) => commandRow(record, states.get(record.id)));
  return succeed({ commands, next_cursor: nextCursor });
}

/** Returns a command and how it ended, as its server says. */
export async function getCommand(
  context: Context,
  projectId: ProjectId,
  id: CommandId,
): Promise<Result<CommandRun, ReadRefusal>> {
  const output = await getCommandOutput(context, projectId, id, {});
  return output.ok ? succeed(output.value.command) : output;
}

/** Returns a part of a command's output; waits for it, if the query says so. */
export async function getCommandOutput(
  context: Context,
  projectId: ProjectId,
  id: CommandId,
  { offset = 0, wait_seconds = 0 }: CommandOutputQuery,
): Promise<Result<CommandOutput, ReadRefusal>> {
  const found = await findBoth(context, projectId, id);
  if (!found.ok) return found;
  const { project, record } = found.value;
  const request = { type: "read_command", offset, wait_ms: wait_seconds * 1000 } as const;
  const read = await askAboutCommand(context, project, id, request);
  if (!read.ok) return read;
  const { state, lines, next_offset, complete } = read.value;
  return succeed({ lines, next_offset, complete, command: commandView(record, state) });
}

/** Stops a command. An ended command does not change. */
export async function stopCommand(
  context: Context,
  projectId: ProjectId,
  id: CommandId,
): Promise<Result<CommandRun, ReadRefusal>> {
  const found = await findBoth(context, projectId, id);
  if (!found.ok) return found;
  const { project, record } = found.value;
  const read = await askAboutCommand(context, project, id, { type: "stop_command" });
  return read.ok ? succeed(commandView(record, read.value.state)) : read;
}

async function findBoth(
  context: Context,
  projectId: ProjectId,
  id: CommandId,
): Promise<Result<{ project: LocatedProject; record: CommandRecord }, "not_found">> {
  const { latestRows: rows } = context;
  const [project, record] = await Promise.all([
    findServedProject(rows, projectId),
    findCommand(rows, projectId, id),
  ]);
  if (project === null) return notFound("project");
  if (record === null) return notFound("command");
  const there = await onServer({ rows }, project, record.serverId ?? undefined);
  return there.ok ? succeed({ project: there.value, record }) : notFound("command");
}
