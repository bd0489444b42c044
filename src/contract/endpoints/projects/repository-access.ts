import * as z from "zod/mini";

import { textLike, textUpTo } from "#contract/bounds.ts";
import { BranchName, CommitSha } from "#contract/git-names.ts";

/** A public deploy key: one line of type, key and comment. An ed25519 key has 51 bytes. */
export const PublicKey = textLike(/^ssh-ed25519 [A-Za-z0-9+/]{68} [\w.@-]{1,200}$/);

/** The fingerprint of a key, as `ssh-keygen -l` prints it. */
export const Fingerprint = textLike(/^SHA256:[A-Za-z0-9+/]{43}$/);

/** The part of a deploy key that a project's read contains. */
export const DeployKeySummary = z.strictObject({ public_key: PublicKey, fingerprint: Fingerprint });
export type DeployKeySummary = z.infer<typeof DeployKeySummary>;

/** A git host that Gantry has steps for. `gitea` is also Forgejo and Codeberg. */
export const Forge = z.enum(["github", "gitlab", "bitbucket", "gitea", "other"]);
export type Forge = z.infer<typeof Forge>;

/** A project's deploy key, with the steps to add it to the repository. */
export const DeployKey = z.extend(DeployKeySummary, {
  forge: Forge,
  settings_url: z.nullable(z.string()),
  steps: z.array(z.string()),
});
export type DeployKey = z.infer<typeof DeployKey>;

/** The ssh key of a git host. `is_new`: it was trusted just now, because the server had not connected to the host before. */
export const HostKey = z.strictObject({
  host: textUpTo(300),
  type: textUpTo(40),
  fingerprint: textUpTo(100),
  is_new: z.boolean(),
});
export type HostKey = z.infer<typeof HostKey>;

/** Why an agent could not read a repository. */
export const RepositoryTestCode = z.enum([
  "access_denied",
  "branch_not_found",
  "host_key_changed",
  "host_key_unknown",
  "unreachable",
  "timed_out",
  "refused_by_policy",
  "too_many_tests",
  "failed",
]);
export type RepositoryTestCode = z.infer<typeof RepositoryTestCode>;

const MAX_MESSAGE = 2000;

const Passed = z.strictObject({
  ok: z.literal(true),
  branch: BranchName,
  commit_sha: CommitSha,
  tried: textUpTo(1000),
  host_key: z.nullable(HostKey),
});
const Failed = z.strictObject({
  ok: z.literal(false),
  code: RepositoryTestCode,
  message: textUpTo(MAX_MESSAGE),
  tried: textUpTo(1000),
});

/** What the agent reports about a repository. */
export const RepositoryTested = z.discriminatedUnion("ok", [Passed, Failed]);
export type RepositoryTested = z.infer<typeof RepositoryTested>;

export const RepositoryTest = z.discriminatedUnion("ok", [
  Passed,
  z.extend(Failed, { steps_url: z.string() }),
]);
export type RepositoryTest = z.infer<typeof RepositoryTest>;
