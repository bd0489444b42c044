import type { AgentContext } from "#agent/context/context.ts";
import { imageSource } from "#agent/containers/image-source.ts";
import { readingMarker } from "#agent/git/mirror/reading-marker.ts";
import { checkBranch, checkRepository } from "#agent/policy/check-policy.ts";
import { checkContainers, checkImages } from "#agent/policy/check-containers.ts";
import { findDigest } from "#agent/images/find-digest.ts";
import { readDigest } from "#agent/images/read-digest.ts";
import { type CommandScope, hideSecrets, scopeOutsideRun } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, type Step } from "#agent/step/step.ts";
import type { OpenAddress } from "#agent/secrets/open-address.ts";
import type { TipReading } from "#agent/watch/tip.ts";
import type { AgentRequestOf } from "#contract/agent-requests.ts";
import type { WatchedBranch } from "#contract/agent-watch.ts";
import type { RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import type { ProjectId } from "#contract/ids.ts";
import { createMask } from "#contract/mask.ts";

type Opened = Extract<OpenAddress, { readonly ok: true }>;

function scopeOf(
  context: AgentContext,
  project: ProjectId,
  kind: "watch" | "resolve" | "test",
  { repository, secrets }: Opened,
): CommandScope {
  const noLedger = { opened: () => undefined, closed: () => undefined };
  const outside = scopeOutsideRun(context, project, readingMarker(context, kind), noLedger);
  return hideSecrets({ ...outside, mask: createMask(repository) }, secrets);
}

/** Which image a watched tag names now. Nobody knows which files have changed in it. */
export async function readImageTip(
  context: AgentContext,
  { project_id, branch }: WatchedBranch,
  opened: Opened,
  signal: AbortSignal,
): Promise<TipReading> {
  const refusal = refuse(context, opened.repository, branch);
  if (refusal !== null) return { kind: "failed", message: refusal };
  const source = imageSource(opened.repository);
  const read = await readDigest(scopeOf(context, project_id, "watch", opened), source, branch, signal);
  if (read.ok)
    return { kind: "read", tip: { sha: read.value, message: `${source.name}:${branch}`, paths: null } };
  if (read.failure === null) return { kind: signal.aborted ? "stopped" : "none" };
  return { kind: "failed", message: read.failure.message };
}

/** The digest of the image that a run with this source would deploy now. */
export async function resolveImage(
  context: AgentContext,
  { project_id, source: ordered, timeout_seconds }: AgentRequestOf<"resolve_commit">,
  opened: Opened,
  stopped: AbortSignal,
): Promise<Step<{ readonly sha: string; readonly message: string }>> {
  const refusal = checkContainers(context.policy);
  if (refusal !== null) return fail("refused_by_policy", "fetch", refusal);
  const source = imageSource(opened.repository);
  const limit = startLimit(timeout_seconds, { signal: stopped });
  const scope = scopeOf(context, project_id, "resolve", opened);
  const found = await findDigest(scope, source, { ...ordered, was_live: false }, null, limit);
  limit.clear();
  return found.ok
    ? { ok: true, value: { sha: found.value, message: `${source.name}:${ordered.branch}` } }
    : found;
}

/** Whether this server can read a tag. `seconds`: after how long it gives up. */
export async function testImages(
  context: AgentContext,
  { project_id, branch }: { readonly project_id: ProjectId; readonly branch: string },
  opened: Opened,
  { seconds, stopped }: { readonly seconds: number; readonly stopped: AbortSignal },
): Promise<RepositoryTested> {
  const source = imageSource(opened.repository);
  const tried =
    source.user === null
      ? "no login"
      : `the project's GANTRY_REPOSITORY_TOKEN as the password of the user \`${source.user}\``;
  const limit = startLimit(seconds, { signal: stopped });
  const read = await readDigest(scopeOf(context, project_id, "test", opened), source, branch, limit.signal);
  limit.clear();
  if (read.ok) return { ok: true, branch, commit_sha: read.value, tried, host_key: null };
  if (read.failure === null) {
    const message = `the registry did not answer within ${seconds} seconds`;
    return { ok: false, code: "timed_out", message, tried };
  }
  const { test, message, hint } = read.failure;
  return { ok: false, code: test, message: hint === null ? message : `${message}\n${hint}`, tried };
}

function refuse(context: AgentContext, repository: string, tag: string): string | null {
  return (
    checkContainers(context.policy) ??
    checkRepository(context, repository) ??
    checkImages(context.policy, repository) ??
    checkBranch(context.policy, tag)
  );
}
