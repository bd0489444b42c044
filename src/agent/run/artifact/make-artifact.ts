import { randomBytes } from "node:crypto";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "#agent/workspace/discard.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import type { BuiltWith } from "#agent/run/artifact/built-with.ts";
import { readPlatform } from "#agent/run/artifact/platform.ts";
import { requireSpace } from "#agent/run/artifact/require-space.ts";
import { sendParts } from "#agent/run/artifact/transfer-parts.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { type StageLimit, startLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import { makeTaskOf } from "#agent/workspace/artifact-task.ts";
import type { BuiltRelease } from "#agent/workspace/releases.ts";
import { byteTextOf } from "#build/artifact/byte-text.ts";
import { packArtifact, type Packed } from "#build/artifact/pack-artifact.ts";
import type { SealedParts } from "#build/artifact/sealed-parts.ts";
import { ARTIFACT_PART_BYTES } from "#contract/artifact.ts";
import { counted } from "#contract/lib/counted.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { succeed } from "#contract/lib/result.ts";
import { ARTIFACT_KEY_BYTES, sealArtifactKey } from "#sealing/artifact-box.ts";

/** A build that is packed for other servers, and not sent yet. Its parts are in the folder for unfinished files. */
export type PackedBuild = Pick<Packed, keyof SealedParts | "dependsOnHome"> & {
  readonly folder: string;
  readonly key: Uint8Array<ArrayBuffer>;
};

/** The time that packing and sending have: what the build stage has left. @param startedAt when it began, monotonic */
function limitOf({ order, context, interrupt }: RunScope, startedAt: number): StageLimit {
  return startLimit(order.timeouts.build_seconds, interrupt, context.clock.monotonic() - startedAt);
}

/**
 * Packs what was built, before shared paths are linked, because the files with which shared paths begin belong to the build.
 * Leaves out paths that are linked already, and caches.
 */
export async function packBuild(
  scope: RunScope,
  plan: BuildPlan,
  release: BuiltRelease,
  startedAt: number,
): Promise<Step<PackedBuild>> {
  const { folder, context, log } = scope;
  const parts = join(folder.temp, "artifact");
  await removeTree(parts);
  await mkdir(parts, { recursive: true });
  const leftOut = new Set([...plan.linked, ...plan.buildCaches].map(byteTextOf));
  const key = randomBytes(ARTIFACT_KEY_BYTES);
  const limit = limitOf(scope, startedAt);
  const packingAt = context.clock.monotonic();
  log.system("build", "packing the build for other servers");
  try {
    const packed = await packArtifact({
      root: await realpath(plan.release),
      leavesOut: (path) => leftOut.has(path),
      folder: parts,
      key,
      projectId: scope.projectId,
      commit: { sha: plan.commitSha, message: plan.commitMessage },
      release: { ...release, languages: plan.tools.languages } satisfies BuiltWith,
      home: await realpath(context.home),
      signal: limit.signal,
      // The first part may be small. Later ones are as large as they can be.
      beforePart: async (part) =>
        requireSpace(parts, part === 1 ? 0 : ARTIFACT_PART_BYTES, "a part of the build"),
      onProgress: () => undefined,
    });
    if (!packed.ok)
      return fail("build_failed", "build", `the build cannot be packed: ${packed.problem.message}`);
    const { files, unpackedBytes, bytes } = packed.value;
    const ms = Math.round(context.clock.monotonic() - packingAt);
    const what = `${counted(files, "file")} with ${sizeText(unpackedBytes)}`;
    log.system("build", `packed ${what} into ${sizeText(bytes)} (${ms} ms)`);
    return succeed({ ...packed.value, folder: parts, key: new Uint8Array(key) });
  } catch (error) {
    if (limit.hasTimedOut) return fail("timed_out", "build", timeoutText("packed", limit.seconds));
    if (limit.signal.aborted) return interrupted;
    throw error;
  } finally {
    limit.clear();
  }
}

/** Sends a packed build, and reports it. Its files are deleted with the run's other unfinished files. */
export async function sendBuild(
  scope: RunScope,
  packed: PackedBuild,
  startedAt: number,
): Promise<Step<null>> {
  const task = makeTaskOf(scope.order);
  if (task === null) return succeed(null);
  const { projectId, context, reporter, folder } = scope;
  const { sha256, bytes, parts } = packed;
  const publicKeys = task.for.map(({ seal_key }) => seal_key.public_key);
  const boxes = await sealArtifactKey(publicKeys, { projectId, sha256 }, packed.key);
  if (boxes === null) return fail("internal", "build", "a server that takes the build has no valid seal key");
  const limit = limitOf(scope, startedAt);
  const sendingAt = context.clock.monotonic();
  try {
    const end = await sendParts(scope, packed.folder, packed, limit.signal);
    switch (end.kind) {
      case "done":
        break;
      case "gone":
      case "refused":
        return fail(
          "artifact_unavailable",
          "build",
          `the control plane does not take the build: ${end.reason}`,
        );
      case "stopped": {
        if (!limit.hasTimedOut) return interrupted;
        const why = end.reason === null ? "" : `: ${end.reason}`;
        return fail("artifact_unavailable", "build", `${timeoutText("sent", limit.seconds)}${why}`);
      }
    }
  } finally {
    limit.clear();
  }
  const ms = Math.round(context.clock.monotonic() - sendingAt);
  scope.log.system("build", `${counted(task.for.length, "server")} can take the build (sent in ${ms} ms)`);
  const here = await readPlatform(folder);
  const platform = packed.dependsOnHome ? here : { ...here, home: null };
  reporter.report({ type: "artifact", artifact: { sha256, bytes, parts, platform, boxes } }, "urgent");
  await removeTree(packed.folder);
  return succeed(null);
}

const timeoutText = (what: string, seconds: number) =>
  `the build could not be ${what} for other servers within the ${counted(seconds, "second")} of the build stage`;
