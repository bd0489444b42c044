import type { CommandRow, CommandRun, CommandState } from "#contract/endpoints/commands/schemas.ts";
import type { CommandRecord } from "#worker/db/commands/command-records.ts";
import { timestamp } from "#worker/views/timestamp.ts";

export function commandRow(record: CommandRecord): CommandRow {
  const { id, projectId, command, timeoutSeconds, actor, createdAt } = record;
  return {
    ...{ id, project_id: projectId, command, timeout_seconds: timeoutSeconds, actor },
    created_at: timestamp(createdAt),
  };
}

/** @param state what the server says about it */
export function commandView(record: CommandRecord, state: CommandState): CommandRun {
  return { ...commandRow(record), ...state };
}
