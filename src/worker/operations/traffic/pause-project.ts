import type { ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/repositories/ask-agent.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { timestampOrNull } from "#worker/views/timestamp.ts";

type PauseRefusal =
  | "not_found"
  | "server_offline"
  | "agent_outdated"
  | "unavailable"
  | "not_live"
  | "no_ingress";

/**
 * Has a project's server hold its requests for this many seconds; 0 ends its pause. Nothing is stored: the server ends
 * the pause by itself.
 */
export async function pauseProject(
  context: Context,
  id: ProjectId,
  seconds: number,
): Promise<Result<ProjectPause, PauseRefusal>> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "set_pause", request_id, project_id, seconds } as const;
  const answer = await askAgent(context, project, request);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.ok) {
    const endsAt = seconds === 0 ? null : context.clock.now() + seconds * 1000;
    return succeed({ paused_until: timestampOrNull(endsAt) });
  }
  switch (result.code) {
    case "not_live":
    case "no_ingress":
      return refuse(result.code, result.message);
    case "failed":
      return unavailable(result.message);
  }
}
