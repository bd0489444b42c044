import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/log-stream.ts";
import {
  type AppOutput,
  DEFAULT_OUTPUT_LINES,
  type OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { followOutput, type OutputEvent } from "#worker/following/output/output-follower.ts";
import { logFailure } from "#worker/log-failure.ts";
import { lacksProcess, noSuchProcess } from "#worker/operations/processes/read-processes.ts";
import { onServer } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/repositories/ask-agent.ts";

/**
 * Returns the last lines that a project's instances printed, as their server has them now. An instance that has ended
 * may be of a process that the project no longer has.
 */
export async function getOutput(
  context: Context,
  id: ProjectId,
  { lines = DEFAULT_OUTPUT_LINES, ended, server_id: serverId, ...filter }: OutputQuery,
): Promise<Result<AppOutput, "not_found" | "server_offline" | "agent_outdated" | "unavailable">> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const { process, instance } = filter;
  const unknown = process !== undefined && lacksProcess(project, process) ? process : null;
  if (unknown !== null && ended !== "true" && instance === undefined) return noSuchProcess(project, unknown);
  const { request_id, project_id } = requestAbout(context, project);
  const request = {
    type: "read_output",
    request_id,
    project_id,
    ...filter,
    ended: ended === "true",
    lines,
  } as const;
  const there = await onServer(context, project, serverId);
  if (!there.ok) return there;
  const answer = await askAgent(context, there.value, request);
  if (!answer.ok) return answer;
  const { lines: printed } = answer.value;
  return unknown !== null && printed.length === 0
    ? noSuchProcess(project, unknown)
    : succeed({ lines: printed });
}

export type FollowedOutput = {
  readonly follow: (signal: AbortSignal) => AsyncGenerator<OutputEvent>;
  /** Whether the project still exists. Its server may not know yet that it does not. */
  readonly isThere: () => Promise<boolean>;
};

/**
 * Follows what a project's instances print. Takes one read of D1, at the start.
 * @param after the last line that the client received; null: it wants the last lines first
 */
export async function followAppOutput(
  context: Context,
  projectId: ProjectId,
  { lines = DEFAULT_OUTPUT_LINES, ended: _ended, server_id: asked, ...filter }: OutputQuery,
  after: number | null,
): Promise<Result<FollowedOutput, "not_found" | "server_offline" | "too_many_followers" | "unavailable">> {
  const project = await findServedProject(context.rows, projectId);
  if (project === null) return notFound("project");
  if (filter.process !== undefined && lacksProcess(project, filter.process))
    return noSuchProcess(project, filter.process);
  const there = await onServer(context, project, asked);
  if (!there.ok) return there;
  const { serverId } = there.value;
  try {
    const request = { projectId, ...filter, lines, after };
    const follow = await followOutput(context, there.value, request, LOG_HEARTBEAT_MS);
    if (!follow.ok) return follow;
    const isThere = async () => (await findServedProject(context.latestRows, projectId)) !== null;
    return succeed({ follow: follow.value, isThere });
  } catch (error) {
    logFailure("follow output", { server_id: serverId, project_id: projectId }, error);
    return unavailable("The server's link cannot be reached.");
  }
}
