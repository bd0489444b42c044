import * as z from "zod/mini";

import { ArtifactTask } from "#contract/artifact.ts";
import { listUpTo, wholeFrom } from "#contract/bounds.ts";
import { BranchName, CommitName, Repository } from "#contract/git-names.ts";
import { AccountId, DeploymentId, ProjectId, RunId } from "#contract/ids.ts";
import { MAX_PROCESSES, ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { agentShape } from "#contract/endpoints/projects/project-settings.ts";
import { CommitRule } from "#contract/endpoints/projects/settings.ts";
import { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import { MAX_VARIABLES, SealedSecret, VariableName } from "#contract/endpoints/variables/schemas.ts";

/** The name of a release folder: the version of the deployment that built it. */
export const ReleaseVersion = wholeFrom(1);

/**
 * The variables of a run at one revision of the project. `account_id` and the secrets' own `revision` are part of the
 * sealed text. `sealed` is null for a secret that is not sealed for this server. `deployed`: the order is a rollback
 * with the variables of its release, whose secrets may be older than the secrets of later runs.
 */
export const RunVariables = z.strictObject({
  account_id: AccountId,
  revision: wholeFrom(0),
  deployed: z.boolean(),
  plain: listUpTo(z.strictObject({ name: VariableName, value: z.string() }), MAX_VARIABLES),
  secrets: listUpTo(
    z.strictObject({
      name: VariableName,
      revision: wholeFrom(1),
      build: z.boolean(),
      sealed: z.nullable(SealedSecret),
    }),
    MAX_VARIABLES,
  ),
});
export type RunVariables = z.infer<typeof RunVariables>;

/**
 * The part of a project that runs on this server, if the project has several servers.
 * `processes`: the processes that have instances here; null: all. A list without `web` also means that this server does
 * not serve the project's domain. Names that the release does not have are ignored.
 * `cron`: whether the project's cron jobs run here.
 * `release`: false if no release command runs here. A `release_command` of null does not mean that, because the
 * repository may define one.
 */
export const Place = z.strictObject({
  processes: z.nullable(listUpTo(ProcessName, MAX_PROCESSES)),
  cron: z.boolean(),
  release: z.optional(z.boolean()),
});
export type Place = z.infer<typeof Place>;

/**
 * Everything that the agent needs for one run, with the project's settings that `settingUses` gives it. The agent does not
 * trust the order: this schema checks names and paths.
 * `source.commits`: the project's setting for commits by hash.
 * `source.in_branch`: `branch` must contain the commit, because the request named both.
 * `source.was_tip`: `commit` was the tip of `branch` when an approval was asked for, and somebody approved that
 * commit. `branch` must still contain it, and `commits` does not apply.
 * `source.was_live`: the order is a rollback, so the commit was live before.
 * `reuse_release`: the release to activate without a fetch and a build, if its files are complete. Otherwise the agent
 * builds `source` into `releases/<version>`.
 * `preapproved`: the order contains the activation permit, so the agent does not ask for it.
 * `framework`, the commands, `output_directory`: the agent detects an omitted framework from the files, and takes the
 * other omitted settings from the preset of the framework. A `build_command` of null means no build.
 * `release_command`: runs once, after the permit and before the switch. The order of a rollback has none.
 * `limits`: for the build, release and activate command.
 * `processes`: the project's own settings for its processes. `restart`: the processes whose instances are all replaced, also
 * up-to-date instances. `drain_seconds`: how long the replaced instances may finish their requests.
 * `aliases`: further host names. `cron`: the project's own jobs.
 * `place`: omitted if this is the project's only server.
 * `maintenance`: omitted if it was never turned on.
 * `artifact`: omitted if the server builds for itself. Only for agents with the capability `ARTIFACTS`.
 * `keep_releases`: the releases to keep besides the new one when it is live. The agent removes all others.
 * `variables`: omitted if the project never had any.
 * `cache`: `clear` empties the project's cache first. A branch without a build cache gets the cache of `default_branch`.
 */
export const RunOrder = z.strictObject({
  run_id: RunId,
  deployment_id: DeploymentId,
  project_id: ProjectId,
  project_name: z.string(),
  version: ReleaseVersion,
  source: z.strictObject({
    repository: Repository,
    branch: BranchName,
    commit: z.nullable(CommitName),
    commits: CommitRule,
    in_branch: z.boolean(),
    was_live: z.boolean(),
    was_tip: z.optional(z.boolean()),
  }),
  reuse_release: z.nullable(ReleaseVersion),
  preapproved: z.boolean(),
  ...agentShape,
  keep_releases: z.array(ReleaseVersion),
  variables: z.optional(RunVariables),
  restart: z.array(ProcessName),
  place: z.optional(Place),
  maintenance: z.optional(MaintenanceState),
  artifact: z.optional(ArtifactTask),
  cache: z.strictObject({ clear: z.boolean(), default_branch: BranchName }),
});
export type RunOrder = z.infer<typeof RunOrder>;

/** A project's repository token. `account_id` and `revision` are part of the sealed text. */
export const SealedToken = z.strictObject({
  account_id: AccountId,
  revision: wholeFrom(1),
  sealed: SealedSecret,
});
export type SealedToken = z.infer<typeof SealedToken>;
