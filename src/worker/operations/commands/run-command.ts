import {
  type CommandRun,
  DEFAULT_COMMAND_TIMEOUT,
  type RunCommandInput,
} from "#contract/endpoints/commands/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { deleteCommand, findCommand, insertCommand } from "#worker/db/commands/command-records.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { askForCommand, type StartRefusal } from "#worker/operations/commands/ask-for-command.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { onServer } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { commandView } from "#worker/views/command-view.ts";

/**
 * Starts a command on a server of the live deployment. It is recorded first. If the answer is lost, the command may run:
 * a retry with the same Idempotency-Key has the same id and server, and the agent starts each id once.
 */
export async function runCommand(
  context: Context,
  projectId: ProjectId,
  { command, timeout_seconds = DEFAULT_COMMAND_TIMEOUT, server_id: asked }: RunCommandInput,
): Promise<Result<CommandRun, StartRefusal>> {
  const { latestRows: rows } = context;
  const found = await findServedProject(rows, projectId);
  if (found === null) return notFound("project");
  const there = await onServer({ rows }, found, asked);
  if (!there.ok) return there;
  const project = there.value;
  const record = {
    ...{
      id: context.ids.command(),
      projectId,
      serverId: project.serverId,
      command,
      timeoutSeconds: timeout_seconds,
    },
    ...{ actor: actorOf(context), createdAt: context.clock.now() },
  };
  const isNew = await insertCommand(rows, record);
  // Meanwhile the project may have another first server, where the command would run a second time.
  const earlier = isNew ? null : await findCommand(rows, projectId, record.id);
  const where = await onServer({ rows }, project, earlier?.serverId ?? undefined);
  if (!where.ok) return where;
  const read = await askForCommand(context, where.value, record.id, {
    ...{ type: "start_command", command, timeout_seconds },
  });
  if (read.ok) {
    const stored = isNew ? record : await findCommand(rows, projectId, record.id);
    // An earlier try of the same request that was refused has deleted it meanwhile.
    if (stored === null) await insertCommand(rows, record);
    return succeed(commandView(stored ?? record, read.value.state));
  }
  // Nothing runs. After an earlier try, or without an answer, the command may run.
  if (isNew && read.refusal.code !== "unavailable") await deleteCommand(rows, record.id);
  return read;
}
