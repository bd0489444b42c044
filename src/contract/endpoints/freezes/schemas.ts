import * as z from "zod/mini";

import { Actor } from "#contract/endpoints/deployments/schemas.ts";
import { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { FreezeId, ProjectId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";

/** The maximum number of freezes of an account. */
export const MAX_FREEZES = 100;

/** Names need not be unique. `project_id`: null: the freeze holds all projects of the account. */
export const CreateFreezeInput = z.strictObject({
  name: DisplayName,
  project_id: z._default(z.nullable(ProjectId), null),
  times: FreezeTimes,
});
export type CreateFreezeInput = z.infer<typeof CreateFreezeInput>;

/** The fields to change. `times` is replaced as a whole. */
export const UpdateFreezeInput = z.partial(z.strictObject({ name: DisplayName, times: FreezeTimes }));
export type UpdateFreezeInput = z.infer<typeof UpdateFreezeInput>;

/** A time in which a freeze holds. */
export const FreezeWindow = z.strictObject({ from: z.string(), until: z.string() });
export type FreezeWindow = z.infer<typeof FreezeWindow>;

/**
 * `window`: the time in which the freeze holds now, or will hold next; null: it has ended. `active`: whether it holds
 * now. `created_by`: null: not known, because an older version has stored it.
 */
export const Freeze = z.strictObject({
  id: FreezeId,
  name: z.string(),
  project_id: z.nullable(ProjectId),
  times: FreezeTimes,
  active: z.boolean(),
  window: z.nullable(FreezeWindow),
  created_at: z.string(),
  created_by: z.nullable(Actor),
});
export type Freeze = z.infer<typeof Freeze>;

export const FreezeRows = z.strictObject({ freezes: z.array(Freeze), next_cursor: NextCursor });
export type FreezeRows = z.infer<typeof FreezeRows>;
