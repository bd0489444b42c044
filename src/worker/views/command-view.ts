import type { CommandRow, CommandRun, CommandState } from "#contract/endpoints/commands/schemas.ts";
import type { CommandRecord } from "#worker/db/commands/command-records.ts";
import { timestamp } from "#worker/views/timestamp.ts";

const unknownState = {
  ...{ status: null, exit_code: null, signal: null, message: null, release: null },
  ...{ started_at: null, finished_at: null },
};

/** @param state what the server says about it; undefined: nothing */
export function commandRow(record: CommandRecord, state: CommandState | undefined): CommandRow {
  return { ...recorded(record), ...(state ?? unknownState) };
}

/** @param state what the server says about it */
export function commandView(record: CommandRecord, state: CommandState): CommandRun {
  return { ...recorded(record), ...state };
}

function recorded({ id, projectId, serverId, command, timeoutSeconds, actor, createdAt }: CommandRecord) {
  return {
    ...{ id, project_id: projectId, server_id: serverId, command, timeout_seconds: timeoutSeconds, actor },
    created_at: timestamp(createdAt),
  };
}
