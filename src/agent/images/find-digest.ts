import type { ImageSource } from "#agent/containers/image-source.ts";
import { readDigest } from "#agent/images/read-digest.ts";
import type { SourceFailure } from "#agent/images/source-failure.ts";
import { decideDigest } from "#agent/policy/digest-reach.ts";
import type { CommandScope } from "#agent/step/run-scope.ts";
import type { StageLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { counted } from "#contract/lib/counted.ts";
import { succeed } from "#contract/lib/result.ts";

/** The digest of the image that a source orders, which the project's setting and the policy must allow. */
export async function findDigest(
  scope: CommandScope,
  source: ImageSource,
  ordered: Omit<RunOrder["source"], "repository">,
  recordedTag: string | null,
  limit: StageLimit,
): Promise<Step<string>> {
  const { branch, commit } = ordered;
  const decided = decideDigest(scope.context.policy, ordered, recordedTag);
  if (!decided.ok) return fail(decided.code, "fetch", decided.message, undefined, decided.hint);
  if (commit !== null && decided.value === "any") return succeed(commit.toLowerCase());
  const read = await readDigest(scope, source, branch, limit.signal);
  if (!read.ok) return read.failure === null ? stoppedFetch(limit) : failSource(read.failure);
  if (commit === null || read.value === commit.toLowerCase()) return read;
  return fail(
    "refused_by_policy",
    "fetch",
    `this server's policy allows an image by its digest only if an allowed tag names it, and ${source.name}:${branch} is now sha256:${read.value}`,
  );
}

/** Ends a run for the reason of a registry. */
export function failSource({ code, message, hint }: SourceFailure): Step<never> {
  return fail(code, "fetch", message, undefined, hint);
}

/** Ends a fetch that was stopped. */
export function stoppedFetch(limit: StageLimit): Step<never> {
  return limit.hasTimedOut
    ? fail("timed_out", "fetch", `fetching took longer than ${counted(limit.seconds, "second")}`)
    : interrupted;
}
