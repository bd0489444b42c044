import * as z from "zod/mini";

import { listUpTo, wholeBetween } from "#contract/bounds.ts";
import { CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import {
  AllProcessSettings,
  DEFAULT_DRAIN_SECONDS,
  DrainSeconds,
} from "#contract/endpoints/processes/schemas.ts";
import { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { Entry } from "#contract/endpoints/projects/entry.ts";
import { ProjectServers, Rollout } from "#contract/endpoints/projects/servers.ts";
import {
  Alias,
  AssetOverlap,
  BuildSettings,
  CommitRule,
  DEFAULT_ASSET_OVERLAP,
  Dockerfile,
  HealthCheck,
  Limits,
  MAX_ALIASES,
  QueueMode,
  Timeouts,
} from "#contract/endpoints/projects/settings.ts";
import { BranchName, InsidePath, SharedPath } from "#contract/git-names.ts";
import { ServerId } from "#contract/ids.ts";
import { type FieldWith, fieldsWith, initialOf, withInitial } from "#contract/lib/field-table.ts";
import { pick } from "#contract/lib/pick.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { defaultTimeouts } from "#contract/stages.ts";

/**
 * The settings of a project, under the names that they have everywhere: in requests and answers, in the database, in a
 * lane's plan and in an agent's order. The framework provides omitted settings, such as the `build_command`; null: none.
 * Names and addresses have no rules here, because stored ones can be older than a rule: requests have the rules.
 */
export const ProjectSettings = z.strictObject({
  name: z.string(),
  server_id: ServerId,
  servers: ProjectServers,
  rollout: Rollout,
  entry: Entry,
  build_on: z.nullable(ServerId),
  artifact_uploads: z.boolean(),
  repository: z.string(),
  branch: BranchName,
  commits: CommitRule,
  ...BuildSettings.shape,
  dockerfile: z.nullable(Dockerfile),
  root_directory: InsidePath,
  release_command: z.nullable(ShellCommand),
  activate_command: z.nullable(ShellCommand),
  shared_paths: listUpTo(SharedPath, 50),
  keep_releases: wholeBetween(2, 50),
  asset_overlap: AssetOverlap,
  health_check: z.nullable(HealthCheck),
  limits: Limits,
  queue: QueueMode,
  approval: ApprovalRule,
  /** The project's own settings for its processes. */
  processes: AllProcessSettings,
  drain_seconds: DrainSeconds,
  aliases: listUpTo(Alias, MAX_ALIASES),
  cron: CronJobs,
  deploy_on: DeployOn,
  domain: z.string(),
  timeouts: Timeouts,
});
export type ProjectSettings = z.infer<typeof ProjectSettings>;
export type SettingName = keyof ProjectSettings;

/** What Gantry does with a setting. */
type SettingUse<Name extends SettingName> = {
  /** Its value if a new project has none. Also what a project has that was stored before there was the setting. */
  readonly initial?: ProjectSettings[Name];
  /**
   * What it belongs to. `code`: what runs, so a rollback can take it back together with the code. `live`: where the project
   * is served and how much it may use, which earlier code does not bring back. `now`: nothing that a hold protects; a
   * rollback always has today's. A hold stops a rollback that differs in a setting that is not `now`. Null: a deployment
   * does not keep it.
   */
  readonly belongs: "code" | "live" | "now" | null;
  /** Whether the agent gets it with each order, under its name. */
  readonly agent: boolean;
  /** Whether gantry.json can have it too. The project's own value takes precedence. */
  readonly repository?: true;
  /**
   * How it is written as text. `optional`: null if empty. `lines`: a list. `automatic`: from the framework if empty.
   * `automatic_or_none`: the same, or null. `parts`: it has several inputs of its own.
   */
  readonly kind: "text" | "number" | "optional" | "lines" | "automatic" | "automatic_or_none" | "parts";
};

const code = { belongs: "code", agent: true } as const;
const live = { belongs: "live", agent: true } as const;
const now = { belongs: "now", agent: true } as const;
/** The same, also in gantry.json. */
const build = { ...code, repository: true } as const;
/** Only the control plane uses it. */
const control = { belongs: null, agent: false } as const;

/** Each setting, with its uses. */
export const settingUses = {
  name: { belongs: "now", agent: false, kind: "text" },
  server_id: { ...control, kind: "text" },
  // A deployment keeps both in a form of its own (`Fleet` of a lane).
  servers: { ...control, initial: [], kind: "parts" },
  rollout: { ...control, initial: Rollout.parse({}), kind: "parts" },
  // The servers get it in a message of its own (`FleetState`), which counts at once.
  entry: { ...control, initial: Entry.parse({}), kind: "parts" },
  // A deployment keeps it in a form of its own (`builder` of a plan).
  build_on: { ...control, initial: null, kind: "optional" },
  artifact_uploads: { ...control, initial: false, kind: "parts" },
  repository: { belongs: "code", agent: false, kind: "text" },
  // A build can take over the build cache of this branch.
  branch: { belongs: "code", agent: false, initial: "main", kind: "text" },
  // The commit of a rollback was live, so the rule does not count for it.
  commits: { belongs: "now", agent: false, initial: "reachable", kind: "text" },
  framework: { ...build, kind: "automatic" },
  install_command: { ...build, kind: "automatic_or_none" },
  build_command: { ...build, kind: "automatic_or_none" },
  output_directory: { ...build, kind: "automatic" },
  trailing_slash: { ...build, kind: "automatic" },
  fallback: { ...build, kind: "automatic_or_none" },
  dockerfile: { ...build, initial: null, kind: "parts" },
  root_directory: { ...code, initial: ".", kind: "text" },
  // A rollback runs none.
  release_command: { ...now, repository: true, initial: null, kind: "optional" },
  activate_command: { ...code, initial: null, kind: "optional" },
  shared_paths: { ...code, initial: [], kind: "lines" },
  // An order has a list of the releases to keep.
  keep_releases: { belongs: "now", agent: false, initial: 5, kind: "number" },
  asset_overlap: { ...now, initial: DEFAULT_ASSET_OVERLAP, kind: "number" },
  health_check: { ...code, initial: null, kind: "parts" },
  limits: { ...live, initial: {}, kind: "parts" },
  queue: { ...control, initial: "all", kind: "text" },
  approval: { ...control, initial: "none", kind: "text" },
  processes: { ...build, initial: {}, kind: "parts" },
  drain_seconds: { ...live, initial: DEFAULT_DRAIN_SECONDS, kind: "number" },
  aliases: { ...live, initial: [], kind: "parts" },
  cron: { ...build, initial: [], kind: "parts" },
  deploy_on: { ...control, initial: DeployOn.parse({}), kind: "parts" },
  domain: { ...live, kind: "text" },
  timeouts: { ...now, initial: defaultTimeouts, kind: "parts" },
} satisfies { readonly [Name in SettingName]: SettingUse<Name> };

type Uses = typeof settingUses;

/** The settings with one of these values in a column of the table. */
export type SettingWith<Column extends keyof SettingUse<SettingName>, Value> = FieldWith<Uses, Column, Value>;

/** The names of all settings, in the order of the table. */
export const settingNames = Object.keys(settingUses).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingUses, name);
}

/** The settings with one of these values in a column of the table, in its order. */
export function settingsWith<
  Column extends keyof SettingUse<SettingName>,
  const Value extends SettingUse<SettingName>[Column],
>(column: Column, ...values: readonly Value[]): SettingWith<Column, Value>[] {
  return fieldsWith(settingUses, column, ...values);
}

/** The values that a new project has of the settings that it need not name. */
export const initialSettings = initialOf<ProjectSettings, Uses>(settingUses);

/** The settings that a deployment keeps. */
export const keptSettings = settingsWith("belongs", "code", "live", "now");
/** Their fields. A deployment that was stored before there was a setting has its initial value. */
export const keptShape = withInitial(pick(ProjectSettings.shape, keptSettings), initialSettings);

/** The settings in an agent's order. */
const agentSettings = settingsWith("agent", true);
/** Their fields. In the order of an older control plane, a setting has its initial value. */
export const agentShape = withInitial(pick(ProjectSettings.shape, agentSettings), initialSettings);

/** The settings that gantry.json can have. */
export const repositorySettings = settingsWith("repository", true);

/** The settings that are written as one text. The others have parts. */
export const textSettings = settingsWith(
  "kind",
  ...(["text", "number", "optional", "lines", "automatic", "automatic_or_none"] as const),
);
export type TextSetting = (typeof textSettings)[number];

/** The settings that a deployment keeps, of these. */
export function keptOf(settings: ProjectSettings) {
  return pick(settings, keptSettings);
}

/** The settings in an agent's order, from the settings that a deployment keeps. */
export function agentOf(kept: ReturnType<typeof keptOf>) {
  return pick(kept, agentSettings);
}
