import * as z from "zod/mini";

import { listUpTo, textBetween } from "#contract/bounds.ts";
import { mapValues } from "#contract/lib/map-values.ts";

const Patterns = listUpTo(textBetween(1, 200), 50);

const fields = {
  enabled: z.boolean(),
  branches: z.nullable(Patterns),
  tags: Patterns,
  paths: z.nullable(Patterns),
  ignore_paths: Patterns,
  skip_markers: listUpTo(textBetween(1, 50), 10),
  poll: z.boolean(),
};

/**
 * Which pushes of the repository are deployed, by patterns such as `release/*`. `enabled`: false: none. `branches`: null:
 * the project's branch. `paths`: null: every file counts. `skip_markers`: texts in the head commit's message that skip
 * it. `poll`: whether the server's agent looks for pushes to the project's own branch every five minutes; otherwise it does
 * each hour, if the repository has a hook.
 */
export const DeployOn = z.strictObject({
  enabled: z._default(fields.enabled, true),
  branches: z._default(fields.branches, null),
  tags: z._default(fields.tags, []),
  paths: z._default(fields.paths, null),
  ignore_paths: z._default(fields.ignore_paths, []),
  skip_markers: z._default(fields.skip_markers, ["[skip deploy]", "[deploy skip]"]),
  poll: z._default(fields.poll, false),
});
export type DeployOn = z.infer<typeof DeployOn>;

/** Changes of the setting. Omitted fields keep their values. */
export const DeployOnChanges = z.strictObject(mapValues(fields, (field) => z.optional(field)));
export type DeployOnChanges = z.infer<typeof DeployOnChanges>;
