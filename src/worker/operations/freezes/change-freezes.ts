import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import type { CreateFreezeInput, Freeze, UpdateFreezeInput } from "#contract/endpoints/freezes/schemas.ts";
import type { FreezeId, ProjectId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  changeFreeze,
  findFreeze,
  type FreezeReading,
  insertFreeze,
  removeFreeze,
} from "#worker/db/freezes/freeze-records.ts";
import { findProjectName } from "#worker/db/projects/find-project.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import {
  acceptedTimes,
  freezeChangeWrites,
  refuseAccountFreeze,
  tellLanes,
  tooManyFreezes,
} from "#worker/operations/freezes/freeze-change.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { freezeView } from "#worker/views/freeze-view.ts";

type CreateFreezeRefusal = "invalid_request" | "insufficient_scope" | "not_found" | "too_many";

/** Creates a freeze of a project or of the whole account. A retry of the same request returns the freeze of the first try. */
export async function createFreeze(
  context: Context,
  { name, project_id: projectId, times: given }: CreateFreezeInput,
): Promise<Result<Freeze, CreateFreezeRefusal>> {
  if (projectId === null && context.rows.projectIds !== null) return refuseAccountFreeze();
  const now = context.clock.now();
  const times = acceptedTimes(given, now);
  if (!times.ok) return times;
  const projectName = projectId === null ? null : await findProjectName(context.rows, projectId);
  if (projectId !== null && projectName === null) return notFound("project");
  const created = { createdAt: now, createdBy: actorOf(context) };
  const freeze = { id: context.ids.freeze(), projectId, name, times: times.value, ...created };
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

/** Changes a freeze. A request that changes nothing is no change in the audit log. */
export async function updateFreeze(
  context: Context,
  id: FreezeId,
  input: UpdateFreezeInput,
): Promise<Result<Freeze, "not_found" | "invalid_request">> {
  const now = context.clock.now();
  const times = input.times === undefined ? null : acceptedTimes(input.times, now);
  if (times?.ok === false) return times;
  const before = await findFreeze(context.rows, id);
  if (before === null) return notFound("freeze");
  const after = { ...before, name: input.name ?? before.name, times: times?.value ?? before.times };
  const changes = changesOf(before, after);
  if (Object.keys(changes).length > 0) {
    const recorded = freezeChangeWrites(context, "freeze.updated", after, changes);
    const given = { name: input.name, times: times?.value };
    if (!(await changeFreeze(context.rows, id, given, recorded))) return notFound("freeze");
    announceLater(context);
    await tellLanes(context, after.projectId);
  }
  return succeed(freezeView(after, now));
}

function changesOf(before: FreezeReading, after: FreezeReading): AuditChanges {
  const isSame = (name: "name" | "times") => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  const changed = (["name", "times"] as const).filter((name) => !isSame(name));
  return Object.fromEntries(changed.map((name) => [name, { before: before[name], after: after[name] }]));
}

/** Deletes a freeze. */
export async function deleteFreeze(context: Context, id: FreezeId): Promise<Result<null, "not_found">> {
  const freeze = await findFreeze(context.rows, id);
  if (freeze === null) return notFound("freeze");
  const recorded = freezeChangeWrites(context, "freeze.deleted", freeze);
  if (!(await removeFreeze(context.rows, id, recorded))) return notFound("freeze");
  announceLater(context);
  await tellLanes(context, freeze.projectId);
  return succeed(null);
}
