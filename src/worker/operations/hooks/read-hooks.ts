import type { Hook, HookRows } from "#contract/endpoints/hooks/schemas.ts";
import { HookId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findHook, listHooks as readHooks } from "#worker/db/hooks/hook-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readAll } from "#worker/paging.ts";
import { hookView } from "#worker/views/hook-view.ts";

/** Returns a hook without its secrets. */
export async function getHook(
  { rows, origin, clock }: Context,
  id: HookId,
): Promise<Result<Hook, "not_found">> {
  const hook = await findHook(rows, id);
  return hook === null ? notFound("hook") : succeed(hookView(hook, origin, clock.now()));
}

/** Lists the hooks that the token can see, newest first: all of them, or one page if the query has a limit. */
export async function listHooks(
  { rows, origin, clock }: Context,
  query: PageQuery,
): Promise<Result<HookRows, "invalid_request">> {
  const page = await readAll("hooks", HookId, (position) => readHooks(rows, position), query);
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    hooks: page.value.rows.map((hook) => hookView(hook, origin, now)),
    next_cursor: page.value.nextCursor,
  });
}
