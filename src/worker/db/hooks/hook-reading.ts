import { eq, isNull, sql } from "drizzle-orm";
import * as z from "zod/mini";

import { repositoryKey } from "#contract/forge.ts";
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

const WithKey = z.array(ProjectId);
const WithoutKey = z.array(z.tuple([ProjectId, z.string()]));

/** The fields of a hook, for `readHook`. */
export function hookFields(rows: AccountRows) {
  const isSame = eq(projects.repositoryKey, hooks.repositoryKey);
  return {
    ...columns,
    // Two lists, because SQLite would read all projects for a condition with `or`.
    withKey: rows.list(projects.id.getSQL(), projects, isSame),
    withoutKey: rows.list(
      sql`json_array(${projects.id}, ${projects.repository})`,
      projects,
      isNull(projects.repositoryKey),
    ),
  };
}

type HookCells = HookRow & {
  readonly withKey: unknown;
  /** Projects that an earlier version stored have no key of their repository. */
  readonly withoutKey: unknown;
};

/** Parses the fields of a hook. */
export function readHook({ withKey, withoutKey, ...hook }: HookCells): HookReading {
  const others = WithoutKey.parse(withoutKey).filter(
    ([, repository]) => repositoryKey(repository) === hook.repositoryKey,
  );
  return { ...hook, projectIds: [...WithKey.parse(withKey), ...others.map(([id]) => id)] };
}
