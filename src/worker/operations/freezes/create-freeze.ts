import type { CreateFreezeInput, Freeze } from "#contract/endpoints/freezes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findFreeze, insertFreeze } from "#worker/db/freezes/freeze-records.ts";
import { findProjectName } from "#worker/db/projects/find-project.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { freezeChangeWrites } from "#worker/operations/freezes/freeze-change.ts";
import {
  acceptedTimes,
  refuseAccountFreeze,
  tooManyFreezes,
} from "#worker/operations/freezes/freeze-refusals.ts";
import { tellLanes } from "#worker/operations/freezes/tell-lanes.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { freezeView } from "#worker/views/freeze-view.ts";

type CreateFreezeRefusal = "invalid_request" | "insufficient_scope" | "not_found" | "too_many";

/** Creates a freeze of a project or of the whole account. A retry of the same request returns the one that exists. */
export async function createFreeze(
  context: Context,
  { name, project_id: projectId, times: given }: CreateFreezeInput,
): Promise<Result<Freeze, CreateFreezeRefusal>> {
  if (projectId === null && context.token.projectIds !== null) return refuseAccountFreeze();
  const now = context.clock.now();
  const times = acceptedTimes(given, now);
  if (!times.ok) return times;
  const projectName = projectId === null ? null : await findProjectName(context.rows, projectId);
  if (projectId !== null && projectName === null) return notFound("project");
  const freeze = { id: context.ids.freeze(), projectId, name, times: times.value, createdAt: now };
  const recorded = freezeChangeWrites(context, "freeze.created", { ...freeze, projectName });
  switch (await insertFreeze(context.rows, freeze, recorded)) {
    case "inserted":
      announceLater(context);
      await tellLanes(context, projectId);
      return succeed(freezeView(freeze, now));
    case "added_before": {
      await tellLanes(context, projectId);
      const added = await findFreeze(context.rows, freeze.id);
      return added === null ? notFound("freeze") : succeed(freezeView(added, now));
    }
    case "not_added":
      return await whyNotAdded(context, projectId);
  }
}

async function whyNotAdded({ rows }: Context, projectId: ProjectId | null) {
  const hasProject = projectId === null || (await findProjectName(rows, projectId)) !== null;
  return hasProject ? tooManyFreezes() : notFound("project");
}
