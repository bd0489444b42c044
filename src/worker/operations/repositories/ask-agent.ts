import {
  type AgentRequest,
  agentRequests,
  type AgentRequestType,
  type AnswerTo,
  isAnswerTo,
} from "#contract/agent-requests.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Refusal, refuse, type Result, succeed } from "#contract/problems.ts";
import { installCommand } from "#contract/public-paths.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject, ProjectRecord } from "#worker/db/projects/find-project.ts";
import { logFailure } from "#worker/log-failure.ts";
import { toHex } from "#sealing/bytes.ts";

/** How long a client should wait before it tries again, in seconds. By then a link that broke is usually open. */
const RETRY_SECONDS = 5;

const BROKEN = "The connection to the server's agent broke during the request.";

/** The fields that requests to an agent have. */
export function requestAbout(
  context: Pick<Context, "randomBytes">,
  { id, name }: Pick<ProjectRecord, "id" | "name">,
) {
  return { request_id: newRequestId(context), project_id: id, project_name: name };
}

export function newRequestId({ randomBytes }: Pick<Context, "randomBytes">): string {
  return toHex(randomBytes(16));
}

/** A request whose answer a request of a client waits for. */
type AwaitedRequest = Exclude<AgentRequest, { readonly type: "resolve_commit" | "set_fleet" }>;

/** Where an agent is. */
type AgentAddress = Pick<LocatedProject, "serverId" | "serverLocation">;

/**
 * Sends a request to the agent of a server, and waits for the answer.
 * @param project whose server it is; `id`: null: the request is about the server as a whole
 */
export async function askAgent<Request extends AwaitedRequest>(
  { links, near, origin }: Pick<Context, "links" | "near" | "origin">,
  project: AgentAddress & { readonly id: ProjectId | null },
  request: Request,
  timeoutMs = usualTimeout(request),
): Promise<Result<AnswerTo<Request["type"]>, "server_offline" | "agent_outdated" | "unavailable">> {
  const offline = refuse("server_offline", `The agent of ${project.serverId} is not connected.`);
  // This would create the link here, and not where the agent will enrol.
  if (project.serverLocation === "pending") return offline;
  try {
    const link = links.getByName(project.serverId, near(project.serverLocation));
    const asked = await link.ask(project.id, request, timeoutMs);
    switch (asked.kind) {
      case "answered":
        return isAnswerTo<Request["type"]>(request.type, asked.answer)
          ? succeed(asked.answer)
          : unavailable("The server's agent sent an answer to another request. Try again.");
      case "offline":
        return offline;
      case "outdated":
        return refuseOutdated({ origin }, project);
      case "silent":
        return unavailable("The server's agent did not answer in time.");
      case "cut":
        return unavailable(BROKEN);
    }
  } catch (error) {
    // The link's object was restarted or is overloaded.
    logFailure("ask agent", { server_id: project.serverId, project_id: project.id }, error);
    return unavailable(BROKEN);
  }
}

/**
 * Whether a server's agent is connected and too old for requests of this type. Ask this before a change is stored that
 * it could not apply.
 */
export async function isOutdated(
  { links, near }: Pick<Context, "links" | "near">,
  { serverId, serverLocation }: AgentAddress,
  type: AgentRequestType,
): Promise<boolean> {
  if (serverLocation === "pending") return false;
  try {
    return await links.getByName(serverId, near(serverLocation)).isOutdatedFor(type);
  } catch (error) {
    logFailure("ask agent", { server_id: serverId }, error);
    return false;
  }
}

/** Refuses a request that the server's agent is too old for. */
export function refuseOutdated(
  { origin }: Pick<Context, "origin">,
  { serverId }: Pick<AgentAddress, "serverId">,
) {
  return refuse(
    "agent_outdated",
    `The agent of ${serverId} is too old to answer this. Update it: ${installCommand(origin)} | sh`,
  );
}

function usualTimeout(request: AwaitedRequest): number {
  const waitMs = "wait_ms" in request ? request.wait_ms : 0;
  return agentRequests[request.type].timeoutMs + waitMs;
}

/** Refuses a request that may succeed later. */
export function unavailable(detail: string) {
  const { refusal } = refuse("unavailable", detail);
  const later: Refusal<"unavailable"> = { ...refusal, retryAfter: RETRY_SECONDS };
  return { ok: false, refusal: later } as const;
}
