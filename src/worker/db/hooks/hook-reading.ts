import { eq } from "drizzle-orm";
import * as z from "zod/mini";

import { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { hooks } from "#worker/db/push-tables.ts";
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
export function readHook({ projectIds, ...hook }: HookCells): HookReading {
  return { ...hook, projectIds: ProjectIds.parse(projectIds) };
}
