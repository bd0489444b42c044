import * as z from "zod/mini";

import { ProjectRepository } from "#contract/addresses/pasted-repository.ts";
import { listUpTo } from "#contract/bounds.ts";
import { isMasked, RequestedBranch, RequestedPath, RequestedSharedPath } from "#contract/git-names.ts";
import type { ServerId } from "#contract/ids.ts";
import { withInitial } from "#contract/lib/field-table.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { ProcessChanges } from "#contract/endpoints/processes/schemas.ts";
import { DeployOn, DeployOnChanges } from "#contract/endpoints/projects/deploy-on.ts";
import { hasUsefulPatterns } from "#contract/endpoints/projects/push-patterns.ts";
import { initialSettings, ProjectSettings } from "#contract/endpoints/projects/project-settings.ts";
import { NewEntry } from "#contract/endpoints/projects/entry.ts";
import { ChangedServers, NewServers, Rollout, RolloutChanges } from "#contract/endpoints/projects/servers.ts";
import {
  type Alias,
  AutomaticSetting,
  DisplayName,
  Domain,
  limitRanges,
  Preset,
  stageSeconds,
  Timeouts,
} from "#contract/endpoints/projects/settings.ts";
import { defaultTimeouts } from "#contract/stages.ts";

/**
 * Refuses paths inside each other. The agent cannot create a link inside a linked path, and a later link for the outer
 * path would hide the release's other files in it. The same path twice is harmless.
 */
const ApartPaths = listUpTo(RequestedSharedPath, 50).check(
  z.superRefine((paths, context) => {
    for (const [at, path] of paths.entries()) {
      const other = paths.slice(0, at).find((one) => isInside(path, one) || isInside(one, path));
      if (other !== undefined)
        context.addIssue({
          code: "custom",
          path: [at],
          message: `overlaps with ${other}: send only the outer path`,
        });
    }
  }),
);

function isInside(path: string, outer: string): boolean {
  return path.startsWith(`${outer}/`);
}

/** What is no domain at all is refused by its schema. */
function isOneWord(name: string): boolean {
  return Domain.safeParse(name).success && !name.includes(".") && name !== "localhost";
}

/**
 * Refuses an alias that occurs twice, or that is the project's domain, and names of one word: nobody can own one, so it
 * gets no certificate, and is usually half of a name. `localhost` leads to this machine.
 */
const hasUsefulDomains = z.superRefine<{
  readonly domain?: string | undefined;
  readonly aliases?: readonly Alias[] | undefined;
}>(({ domain, aliases = [] }, context) => {
  const names = [domain, ...aliases.map((alias) => alias.domain)];
  for (const [at, name] of names.entries())
    if (name !== undefined && names.indexOf(name) !== at)
      context.addIssue({
        code: "custom",
        path: ["aliases", at - 1, "domain"],
        message: "is named twice",
      });
  for (const [at, name] of names.entries())
    if (name !== undefined && isOneWord(name))
      context.addIssue({
        code: "custom",
        path: at === 0 ? ["domain"] : ["aliases", at - 1, "domain"],
        message: `is only one word: write it with its ending, such as ${name}.example.com`,
      });
});

/** Refuses a `server_id` that says something else than `servers`. */
const hasOneServerList = z.superRefine<{
  readonly server_id?: ServerId | undefined;
  readonly servers?: readonly { readonly id: ServerId }[] | undefined;
}>(({ server_id: serverId, servers }, context) => {
  const first = servers?.[0]?.id;
  if (serverId === undefined || first === undefined || first === serverId) return;
  const message = "must be the first of servers: send only servers, or the same server";
  context.addIssue({ code: "custom", path: ["server_id"], message });
});

/** The settings in requests, with the rules for names and addresses. */
const requested = {
  ...ProjectSettings.shape,
  servers: NewServers,
  entry: NewEntry,
  name: DisplayName,
  domain: Domain,
  repository: ProjectRepository,
  branch: RequestedBranch,
  root_directory: RequestedPath,
  shared_paths: ApartPaths,
};

export const CreateProjectInput = z
  .strictObject({
    ...withInitial(requested, initialSettings),
    rollout: z.prefault(Rollout, {}),
    domain: z.optional(Domain),
    output_directory: z.optional(RequestedPath),
    deploy_on: z.prefault(DeployOn, {}),
    timeouts: z.prefault(Timeouts, {}),
  })
  .check(hasUsefulDomains, hasUsefulPatterns, hasOneServerList);
export type CreateProjectInput = z.infer<typeof CreateProjectInput>;

const STARS =
  "contains ***, which replaces a password or a query value in responses; send the value itself, or omit the setting";

const AllSettings = z.strictObject({
  ...requested,
  ...Preset.shape,
  output_directory: RequestedPath,
  repository: requested.repository.check(z.refine((url) => !isMasked(url), STARS)),
  health_check: requested.health_check.check(
    z.refine((check) => !isMasked(check?.url ?? ""), { path: ["url"], message: STARS }),
    z.refine((check) => !isMasked(check?.path ?? ""), { path: ["path"], message: STARS }),
  ),
  limits: z.partial(z.strictObject(mapValues(limitRanges, (range) => z.nullable(range)))),
  timeouts: z.partial(z.strictObject(mapValues(defaultTimeouts, () => stageSeconds))),
  processes: ProcessChanges,
  servers: ChangedServers,
  deploy_on: DeployOnChanges,
  rollout: RolloutChanges,
  automatic: listUpTo(AutomaticSetting, AutomaticSetting.options.length),
});

/**
 * The settings to change. Omitted settings, and omitted fields of `timeouts`, `limits`, `processes`, `deploy_on` and
 * `rollout`, keep their values. A limit of null is reset to the server's default. `health_check`, `aliases`, `cron`, `servers` and
 * `entry` are replaced completely. The settings named in `automatic` become automatic again.
 */
export const UpdateProjectInput = z.partial(AllSettings).check(
  hasUsefulDomains,
  hasUsefulPatterns,
  hasOneServerList,
  z.superRefine((input, context) => {
    for (const name of input.automatic ?? [])
      if (input[name] !== undefined)
        context.addIssue({
          code: "custom",
          path: [name],
          message: "must not have a value and be in automatic",
        });
  }),
);
export type UpdateProjectInput = z.infer<typeof UpdateProjectInput>;

/** Omitted fields are the project's own settings. */
export const TestRepositoryInput = z.strictObject({
  repository: z.optional(ProjectRepository),
  branch: z.optional(RequestedBranch),
});
export type TestRepositoryInput = z.infer<typeof TestRepositoryInput>;
