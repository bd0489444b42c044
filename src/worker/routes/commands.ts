import type { CommandRun } from "#contract/endpoints/commands/schemas.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import {
  getCommand,
  getCommandOutput,
  listCommands,
  stopCommand,
} from "#worker/operations/commands/read-command.ts";
import { runCommand } from "#worker/operations/commands/run-command.ts";

export const commandHandlers = {
  runCommand: (context, { params, body }) =>
    answer(runCommand(context, params.project_id, body), commandLocation),
  listCommands: (context, { params, query, url }) =>
    answerPage(listCommands(context, params.project_id, query), url),
  getCommand: (context, { params }) => answer(getCommand(context, params.project_id, params.command_id)),
  getCommandOutput: (context, { params, query }) =>
    answer(getCommandOutput(context, params.project_id, params.command_id, query)),
  stopCommand: (context, { params }) => answer(stopCommand(context, params.project_id, params.command_id)),
} satisfies Partial<TokenHandlers>;

function commandLocation({ project_id, id }: CommandRun) {
  return { location: `/v1/projects/${project_id}/commands/${id}` };
}
