import * as z from "zod/mini";

/**
 * What a hook understands deliveries of. `gitea`: also Forgejo. `git`: a git server that runs the `post-receive` of Gantry.
 * `registry`: a registry of images, Distribution or Harbor.
 */
export const HookForge = z.enum(["github", "gitlab", "gitea", "bitbucket", "git", "registry"]);
export type HookForge = z.infer<typeof HookForge>;

/** What reported a push to Gantry. `replay`: a person asked for another decision. `poll`: the server's agent found it. */
export const PushSource = z.enum(["hook", "replay", "poll"]);
export type PushSource = z.infer<typeof PushSource>;

/** Why paths did not decide, although the project has patterns for them. */
const DeployedReason = z.enum(["paths_incomplete", "paths_not_comparable"]);

const IgnoredReason = z.enum([
  "branch_not_watched",
  "tag_not_watched",
  "paths_unchanged",
  "skip_marker",
  "ref_deleted",
  "disabled",
  "duplicate",
  "no_project",
  "not_a_push",
  "ping",
]);

const RefusedReason = z.enum([
  "bad_signature",
  "no_signature",
  "too_old",
  "malformed",
  "too_large",
  "other_forge",
  "other_repository",
  "repository_unread",
  "queue_full",
  "secrets_not_sealed",
  "agent_outdated",
  "containers_missing",
  "unavailable",
]);

/**
 * The decision about a push. `deployed`: a deployment was started, which may be held. `ignored`: the project's settings
 * do not select it. `refused`: it is not an authentic push, or no deployment could be started. `repository_unread`:
 * nothing is decided yet.
 */
export const LedgerDecision = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("deployed"), reason: z.nullable(DeployedReason) }),
  z.strictObject({ decision: z.literal("ignored"), reason: IgnoredReason }),
  z.strictObject({ decision: z.literal("refused"), reason: RefusedReason }),
]);
export type LedgerDecision = z.infer<typeof LedgerDecision>;

/** The decision alone, as the API shows it. */
export const Verdict = z.enum(["deployed", "ignored", "refused"]);
export type Verdict = z.infer<typeof Verdict>;

/** The reason alone. */
export const PushReason = z.enum([
  ...DeployedReason.options,
  ...IgnoredReason.options,
  ...RefusedReason.options,
]);
export type PushReason = z.infer<typeof PushReason>;
