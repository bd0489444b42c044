import { eq, isNull, or, sql } from "drizzle-orm";
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

/** `repository`: null if the row of the project has the key. */
const Attached = z.array(z.tuple([ProjectId, z.nullable(z.string())]));

/** The fields of a hook, for `readHook`. */
export function hookFields(rows: AccountRows) {
  const item = sql`json_array(${projects.id}, case when ${projects.repositoryKey} is null then ${projects.repository} end)`;
  return { ...columns, attached: rows.list(item, projects, mayHaveKey(hooks.repositoryKey)) };
}

/** Projects with a repository's key, and those of an earlier version, which have none. */
export function mayHaveKey(key: string | typeof hooks.repositoryKey) {
  return or(eq(projects.repositoryKey, key), isNull(projects.repositoryKey));
}

export function readHook({ attached, ...hook }: HookRow & { readonly attached: unknown }): HookReading {
  const found = Attached.parse(attached);
  const isSame = (repository: string | null) =>
    repository === null || repositoryKey(repository) === hook.repositoryKey;
  return { ...hook, projectIds: found.flatMap(([id, repository]) => (isSame(repository) ? [id] : [])) };
}
