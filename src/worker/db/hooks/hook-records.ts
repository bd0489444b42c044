import { eq } from "drizzle-orm";
import * as z from "zod/mini";

import { type HookId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { hooks } from "#worker/db/push-tables.ts";
import type { Position } from "#worker/db/reads.ts";
import { projects } from "#worker/db/schema.ts";

const columns = {
  id: hooks.id,
  forge: hooks.forge,
  repository: hooks.repository,
  repositoryKey: hooks.repositoryKey,
  previousExpiresAt: hooks.previousExpiresAt,
  createdAt: hooks.createdAt,
  receivedAt: hooks.receivedAt,
  refusedAt: hooks.refusedAt,
  refusedReason: hooks.refusedReason,
};

type HookRow = Pick<typeof hooks.$inferSelect, keyof typeof columns>;

/** A hook without its secrets, with the projects of its repository. Times are Unix milliseconds. */
export type HookReading = HookRow & { readonly projectIds: readonly ProjectId[] };

const ProjectIds = z.array(ProjectId);

/** The fields of a hook, for `readHook`. */
export function hookFields(rows: AccountRows) {
  const isSame = eq(projects.repositoryKey, hooks.repositoryKey);
  return {
    ...columns,
    projectIds: rows.list(projects.id.getSQL(), projects, isSame),
  };
}

type HookCells = HookRow & { readonly projectIds: unknown };

/** Parses the fields of a hook. */
function readHook({ projectIds, ...hook }: HookCells): HookReading {
  return { ...hook, projectIds: ProjectIds.parse(projectIds) };
}

/** The account's hook with this id; null if there is none. */
export async function findHook(rows: AccountRows, id: HookId): Promise<HookReading | null> {
  const hook = await rows.find(hookFields, hooks, id);
  return hook === null ? null : readHook(hook);
}

/** The account's hook for a repository; null if there is none. @param key of the repository (`repositoryKey`) */
export async function findHookOf(rows: AccountRows, key: string): Promise<HookReading | null> {
  const [hook] = await rows.select(hookFields, hooks, {
    where: eq(hooks.repositoryKey, key),
    limit: 1,
  });
  return hook === undefined ? null : readHook(hook);
}

/** The account's hooks, newest first. */
export async function listHooks(rows: AccountRows, position: Position<HookId>): Promise<HookReading[]> {
  return (await rows.page(hookFields, hooks, hooks.id, position)).map(readHook);
}
