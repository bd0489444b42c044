import { and, desc, eq, sql } from "drizzle-orm";

import { MAX_LISTED_COMMANDS } from "#contract/endpoints/commands/schemas.ts";
import type { CommandId, ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { commands } from "#worker/db/variable-tables.ts";
import { newestFirst, type Position } from "#worker/db/reads.ts";
import { servingServerOf } from "#worker/db/projects/served-project.ts";
import { isOfProject } from "#worker/db/projects/find-project.ts";

export type CommandRecord = Omit<typeof commands.$inferSelect, "accountId">;

const fields = {
  id: commands.id,
  projectId: commands.projectId,
  serverId: commands.serverId,
  command: commands.command,
  timeoutSeconds: commands.timeoutSeconds,
  actor: commands.actor,
  createdAt: commands.createdAt,
};

/**
 * Adds a command, and deletes the oldest of its project if there are too many.
 * @returns false if an earlier try of the same request has added it
 */
export async function insertCommand(rows: AccountRows, record: CommandRecord): Promise<boolean> {
  const ofProject = eq(commands.projectId, record.projectId);
  const newestToDelete = rows.first(commands.id, commands, ofProject, desc(commands.id), MAX_LISTED_COMMANDS);
  const [inserted] = await rows.runTogether([
    rows.insertIfNew(commands, record),
    rows.delete(commands, sql`${ofProject} and ${commands.id} <= ${newestToDelete}`),
  ]);
  return inserted === 1;
}

/** Deletes a command that was not started. */
export async function deleteCommand(rows: AccountRows, id: CommandId): Promise<void> {
  await rows.run(rows.delete(commands, eq(commands.id, id)));
}

export async function findCommand(
  rows: AccountRows,
  projectId: ProjectId,
  id: CommandId,
): Promise<CommandRecord | null> {
  const where = and(eq(commands.projectId, projectId), eq(commands.id, id));
  const [record] = await rows.select(fields, commands, { where, limit: 1 });
  return record ?? null;
}

/** The commands of a project, newest first, each with the server that keeps it. */
export async function listCommands(
  rows: AccountRows,
  projectId: ProjectId,
  position: Position<CommandId>,
): Promise<(CommandRecord & { readonly keptOn: ServerId })[]> {
  const serving = servingServerOf(rows, projectId);
  const withServer = { ...fields, keptOn: sql<ServerId>`coalesce(${commands.serverId}, ${serving})` };
  const ofProject = and(eq(commands.projectId, projectId), isOfProject(rows, commands));
  return rows.select(withServer, commands, newestFirst(commands.id, position, ofProject));
}
