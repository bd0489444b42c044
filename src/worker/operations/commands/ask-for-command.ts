import { sentence } from "#contract/lib/sentence.ts";
import type { AgentRequest, AgentRequestOf } from "#contract/agent-requests.ts";
import type { CommandReading, CommandState } from "#contract/endpoints/commands/schemas.ts";
import type { CommandId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import {
  type ReadRefusal,
  type StartRefusal,
  withoutStart,
} from "#worker/operations/commands/job-refusal.ts";
import { notFound } from "#worker/operations/refusals.ts";
import {
  askAgent,
  newRequestId,
  requestAbout,
  unavailable,
} from "#worker/operations/repositories/ask-agent.ts";

type Read = Extract<CommandReading, { ok: true }>;
type Fields<Type extends AgentRequest["type"]> = Omit<
  AgentRequestOf<Type>,
  "type" | "request_id" | "project_id" | "command_id"
>;
type CommandRequest =
  | ({ readonly type: "start_command" } & Fields<"start_command">)
  | ({ readonly type: "read_command" } & Fields<"read_command">)
  | { readonly type: "stop_command" };

/** Asks a project's server to start, read or stop a command. */
export async function askForCommand(
  context: Context,
  project: LocatedProject,
  command_id: CommandId,
  request: CommandRequest,
): Promise<Result<Read, StartRefusal>> {
  const { request_id, project_id } = requestAbout(context, project);
  const message: AgentRequestOf<CommandRequest["type"]> = { ...request, request_id, project_id, command_id };
  const answer = await askAgent(context, project, message);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.ok) return succeed(result);
  const detail = sentence(result.message);
  switch (result.code) {
    case "unknown_command":
      return notFound("command");
    case "failed":
      return unavailable(`The server could not do this: ${result.message}.`);
    case "not_live":
    case "refused_by_policy":
    case "secrets_not_sealed":
    case "too_many":
      return refuse(result.code, detail);
  }
}

/** As `askForCommand`, for a request that starts nothing. */
export async function askAboutCommand(
  context: Context,
  project: LocatedProject,
  id: CommandId,
  request: Exclude<CommandRequest, { type: "start_command" }>,
): Promise<Result<Read, ReadRefusal>> {
  return withoutStart(await askForCommand(context, project, id, request));
}

/** Asks a project's server for the state of the commands that it keeps. Without an answer, it knows none. */
export async function askForStates(
  context: Context,
  project: Pick<LocatedProject, "id" | "serverId" | "serverLocation">,
): Promise<ReadonlyMap<CommandId, CommandState>> {
  const request_id = newRequestId(context);
  const message = { type: "list_commands", request_id, project_id: project.id } as const;
  const answer = await askAgent(context, project, message);
  const commands = answer.ok ? answer.value.commands : [];
  return new Map(commands.map(({ id, state }) => [id, state]));
}
