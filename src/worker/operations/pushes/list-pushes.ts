import type { PushRows } from "#contract/endpoints/hooks/schemas.ts";
import { type HookId, type ProjectId, PushId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE, type PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findHook } from "#worker/db/hooks/hook-records.ts";
import type { Position } from "#worker/db/reads.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import {
  listHookPushes as readHookPushes,
  listProjectPushes as readProjectPushes,
  type PushReading,
} from "#worker/db/pushes/push-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readPage } from "#worker/paging.ts";
import { pushView } from "#worker/views/hook-view.ts";

/** Lists what arrived at a hook, newest first. */
export async function listHookPushes(
  { rows }: Context,
  id: HookId,
  query: PageQuery,
): Promise<Result<PushRows, "not_found" | "invalid_request">> {
  const pushes = await listPushes(id, (position) => readHookPushes(rows, id, position), query);
  return isEmpty(pushes) && (await findHook(rows, id)) === null ? notFound("hook") : pushes;
}

/** Lists the pushes that concern a project, newest first. */
export async function listProjectPushes(
  { rows }: Context,
  id: ProjectId,
  query: PageQuery,
): Promise<Result<PushRows, "not_found" | "invalid_request">> {
  const pushes = await listPushes(id, (position) => readProjectPushes(rows, id, position), query);
  return isEmpty(pushes) && (await findProject(rows, id)) === null ? notFound("project") : pushes;
}

/** An empty page is the only one whose hook or project may not exist. */
function isEmpty(pushes: Result<PushRows>): boolean {
  return pushes.ok && pushes.value.pushes.length === 0;
}

async function listPushes(
  of: HookId | ProjectId,
  read: (position: Position<PushId>) => Promise<PushReading[]>,
  query: PageQuery,
): Promise<Result<PushRows, "invalid_request">> {
  const list = { name: `pushes of ${of}`, key: PushId, keyOf: ({ id }: PushReading) => id, read };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  return succeed({ pushes: page.value.rows.map(pushView), next_cursor: page.value.nextCursor });
}
