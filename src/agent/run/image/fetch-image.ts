import { mkdir } from "node:fs/promises";

import { imagePolicyOf } from "#agent/containers/image-policy.ts";
import { pullCommand } from "#agent/containers/image-script.ts";
import { imageSource } from "#agent/containers/image-source.ts";
import { failSource, findDigest, stoppedFetch } from "#agent/images/find-digest.ts";
import { sourceFailure } from "#agent/images/source-failure.ts";
import { requireBuildSpace } from "#agent/run/image/image-space.ts";
import { placeOfRun, runEngine } from "#agent/run/image/run-engine.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { type StageLimit, startLimit } from "#agent/step/stage-limit.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { liveBranchOf } from "#agent/workspace/live-commits.ts";
import { releasePath, removeRelease } from "#agent/workspace/releases.ts";
import { evidenceOf, isDiskFull } from "#build/failure/command-failure.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { succeed } from "#contract/lib/result.ts";

/** A fetched image. `sha`: its digest. */
export type FetchedImage = { readonly sha: string; readonly message: string; readonly indexBytes: 0 };

/** Finds which image is ordered, once, and gets it. The folder of the release has no files. */
export async function fetchImage(scope: RunScope): Promise<Step<FetchedImage>> {
  const { order, folder, reporter, log } = scope;
  await removeRelease(folder, order.version);
  await mkdir(folder.temp, { recursive: true });
  const { repository, branch, commit } = order.source;
  const source = imageSource(repository);
  const limit = startLimit(order.timeouts.fetch_seconds, scope.interrupt);
  try {
    const recorded = commit === null ? null : await liveBranchOf(folder, commit);
    const found = await findDigest(scope, source, order.source, recorded, limit);
    if (!found.ok) return found;
    const digest = found.value;
    const message = `${source.name}:${branch}`;
    reporter.report({ type: "resolved", commit_sha: digest, commit_message: message }, "patient");
    await mkdir(releasePath(folder, order.version), { recursive: true });
    log.system("fetch", `pulling ${source.name}@sha256:${digest} (${branch})`);
    const pulled = await pullImage(scope, digest, limit);
    return pulled.ok ? succeed({ sha: digest, message, indexBytes: 0 }) : pulled;
  } finally {
    limit.clear();
  }
}

/** Gets an image by its digest, and names it as the release's. */
export async function pullImage(scope: RunScope, digest: string, limit: StageLimit): Promise<Step<null>> {
  const { context, order } = scope;
  await requireBuildSpace(scope);
  const source = imageSource(order.source.repository);
  const signatures = imagePolicyOf(context.policy);
  const command = pullCommand(placeOfRun(scope), source, digest, order.version, signatures);
  const ran = await runEngine(scope, command, "pull", limit.signal);
  if (ran.end.kind === "stopped") return stoppedFetch(limit);
  if (hasSucceeded(ran.end)) return succeed(null);
  if (await isDiskFull(context.home, ran.stderrTail))
    return fail("disk_full", "fetch", "the disk is full: the image could not be stored", evidenceOf(ran));
  return failSource(sourceFailure(ran.stderrTail, source, `@sha256:${digest}`));
}
