import type { AgentRequest, AgentRequestOf } from "#contract/agent-requests.ts";
import type { CommandReading, CommandState } from "#contract/endpoints/commands/schemas.ts";
import type { CommandId } from "#contract/ids.ts";
import { sentence } from "#contract/lib/sentence.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import {
  askAgent,
  newRequestId,
  requestAbout,
  unavailable,
} from "#worker/operations/repositories/ask-agent.ts";

/** The refusals of a request about a one-off command or a run of a cron job that starts nothing. */
export type ReadRefusal = "agent_outdated" | "not_found" | "server_offline" | "unavailable";
export type StartRefusal = ReadRefusal | "not_live" | "refused_by_policy" | "secrets_not_sealed" | "too_many";

/** The result of a request that starts nothing, for which an agent has no reason to refuse a start. */
export function withoutStart<Value>(read: Result<Value, StartRefusal>): Result<Value, ReadRefusal> {
  if (read.ok) return read;
  const { code, detail } = read.refusal;
  switch (code) {
    case "not_live":
    case "refused_by_policy":
    case "secrets_not_sealed":
    case "too_many":
      return unavailable(detail);
    case "agent_outdated":
    case "not_found":
    case "server_offline":
    case "unavailable":
      return { ok: false, refusal: { ...read.refusal, code } };
  }
}

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
