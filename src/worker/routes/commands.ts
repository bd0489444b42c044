import { commandEndpoints } from "#contract/endpoints/commands/endpoints.ts";
import type { CommandRun } from "#contract/endpoints/commands/schemas.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import {
  getCommand,
  getCommandOutput,
  listCommands,
  stopCommand,
} from "#worker/operations/commands/read-command.ts";
import { runCommand } from "#worker/operations/commands/run-command.ts";

export const commandRoutes = forTokens(commandEndpoints, {
  runCommand: (context, { params, body }) =>
    answer(runCommand(context, params.project_id, body), commandLocation),
  listCommands: (context, { params, query, url }) =>
    answerPage(listCommands(context, params.project_id, query), url),
  getCommand: (context, { params }) => answer(getCommand(context, params.project_id, params.command_id)),
  getCommandOutput: (context, { params, query }) =>
    answer(getCommandOutput(context, params.project_id, params.command_id, query)),
  stopCommand: (context, { params }) => answer(stopCommand(context, params.project_id, params.command_id)),
});

function commandLocation({ project_id, id }: CommandRun) {
  return { location: `/v1/projects/${project_id}/commands/${id}` };
}
