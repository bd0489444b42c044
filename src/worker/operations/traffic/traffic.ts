import type { ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import type { MaintenanceSet, SetMaintenanceInput } from "#contract/endpoints/traffic/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { setMaintenance as storeMaintenance } from "#worker/db/projects/project-maintenance.ts";
import { findServedProject } from "#worker/db/projects/served-project.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { onWebServers } from "#worker/operations/projects/servers-of-project.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { askAgent, requestAbout, unavailable } from "#worker/operations/repositories/ask-agent.ts";
import { maintenanceView } from "#worker/views/maintenance-view.ts";
import { timestampOrNull } from "#worker/views/timestamp.ts";

type PauseRefusal =
  | "not_found"
  | "server_offline"
  | "agent_outdated"
  | "unavailable"
  | "not_live"
  | "no_ingress";

/**
 * Has a project's servers hold its requests for this many seconds; 0 ends their pause. Nothing is stored: each server ends
 * the pause by itself.
 */
export async function pauseProject(
  context: Context,
  id: ProjectId,
  seconds: number,
): Promise<Result<ProjectPause, PauseRefusal>> {
  const project = await findServedProject(context.rows, id);
  if (project === null) return notFound("project");
  const servers = await onWebServers(context, project);
  const paused = await Promise.all(servers.map((one) => pauseOn(context, one, seconds)));
  const refused = paused.find((one) => !one.ok);
  if (refused !== undefined) return refused;
  const endsAt = seconds === 0 ? null : context.clock.now() + seconds * 1000;
  return succeed({ paused_until: timestampOrNull(endsAt) });
}

async function pauseOn(
  context: Context,
  project: LocatedProject,
  seconds: number,
): Promise<Result<null, PauseRefusal>> {
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "set_pause", request_id, project_id, seconds } as const;
  const answer = await askAgent(context, project, request);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.ok) return succeed(null);
  switch (result.code) {
    case "not_live":
    case "no_ingress":
      return refuse(result.code, result.message);
    case "failed":
      return unavailable(result.message);
  }
}

/**
 * Turns a project's maintenance on or off: stored first, then applied by its servers. A server that cannot be reached gets
 * it after its next hello, and one to which the project is moving with its order.
 */
export async function setMaintenance(
  context: Context,
  id: ProjectId,
  { on, message = null }: SetMaintenanceInput,
): Promise<Result<MaintenanceSet, "not_found">> {
  const change = { on, message: on ? message : null };
  await storeMaintenance(context.latestRows, id, change, context.clock.now(), settingsOrigin(context, id));
  const project = await findServedProject(context.latestRows, id);
  if (project === null) return notFound("project");
  announceLater(context);
  const servers = await onWebServers(context, project);
  const problems = await Promise.all(servers.map((one) => whyNotApplied(context, one)));
  const details = problems.flatMap((problem) => problem ?? []);
  const detail = details.length === 0 ? null : details.join(" ");
  return succeed({ maintenance: maintenanceView(project.maintenance), applied: detail === null, detail });
}

/** Asks a server of the project to apply its maintenance. @returns null if it has, or why it has not, as a sentence */
async function whyNotApplied(context: Context, project: LocatedProject): Promise<string | null> {
  const { maintenance } = project;
  if (maintenance === null) return null;
  const { request_id, project_id } = requestAbout(context, project);
  const request = { type: "set_maintenance", request_id, project_id, maintenance } as const;
  const answer = await askAgent(context, project, request);
  return answer.ok ? answer.value.problem : answer.refusal.detail;
}
