import * as z from "zod/mini";

import type { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { entriesOf } from "#dashboard/pages/settings/lines.ts";

/** The fields of the form for `deploy_on`. Lists have one entry per line; an empty one is the default. */
export const pushFields = {
  push_branches: z.string(),
  push_tags: z.string(),
  push_paths: z.string(),
  push_ignore_paths: z.string(),
  push_skip_markers: z.string(),
  deploysPushes: z.boolean(),
  pollsPushes: z.boolean(),
};
type PushDraft = { readonly [Name in keyof typeof pushFields]: z.infer<(typeof pushFields)[Name]> };

export function pushDraft({
  enabled,
  branches,
  tags,
  paths,
  ignore_paths,
  skip_markers,
  poll,
}: DeployOn): PushDraft {
  return {
    push_branches: (branches ?? []).join("\n"),
    push_tags: tags.join("\n"),
    push_paths: (paths ?? []).join("\n"),
    push_ignore_paths: ignore_paths.join("\n"),
    push_skip_markers: skip_markers.join("\n"),
    deploysPushes: enabled,
    pollsPushes: poll,
  };
}

/** The changed fields as `deploy_on` of a PATCH, not validated yet. */
export function pushChanges(draft: PushDraft, saved: DeployOn): Record<string, unknown> {
  const before = pushDraft(saved);
  const isChanged = (name: keyof PushDraft) => draft[name] !== before[name];
  const changes: Record<string, unknown> = {};
  for (const name of ["branches", "paths"] as const) {
    const entries = entriesOf(draft[`push_${name}`]);
    if (isChanged(`push_${name}`)) changes[name] = entries.length === 0 ? null : entries;
  }
  for (const name of ["tags", "ignore_paths", "skip_markers"] as const)
    if (isChanged(`push_${name}`)) changes[name] = entriesOf(draft[`push_${name}`]);
  if (isChanged("deploysPushes")) changes["enabled"] = draft.deploysPushes;
  if (isChanged("pollsPushes")) changes["poll"] = draft.pollsPushes;
  return changes;
}
