import {
  type AppOutput,
  DEFAULT_OUTPUT_LINES,
  type OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { askAgent, requestAbout } from "#worker/operations/repositories/ask-agent.ts";
import { lacksProcess, noSuchProcess } from "#worker/operations/processes/has-process.ts";
import { notFound } from "#worker/operations/refusals.ts";

/**
 * Returns the last lines that a project's instances printed, as their server has them now. An instance that has ended
 * may be of a process that the project no longer has.
 */
export async function getOutput(
  context: Context,
  id: ProjectId,
  { lines = DEFAULT_OUTPUT_LINES, ended, ...filter }: OutputQuery,
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
  const answer = await askAgent(context, project, request);
  if (!answer.ok) return answer;
  const { lines: printed } = answer.value;
  return unknown !== null && printed.length === 0
    ? noSuchProcess(project, unknown)
    : succeed({ lines: printed });
}
