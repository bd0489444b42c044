import { mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";

import { checkArtifacts } from "#agent/policy/check-policy.ts";
import { BuiltWith, languageProblem } from "#agent/run/artifact/built-with.ts";
import { platformProblem, readPlatform } from "#agent/run/artifact/platform.ts";
import { requireSpace } from "#agent/run/artifact/require-space.ts";
import { receiveParts } from "#agent/run/artifact/transfer-parts.ts";
import { buildImage } from "#agent/run/image/build-image.ts";
import { loadImage } from "#agent/run/image/ship-image.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { describeBuild } from "#agent/run/build/build-stage.ts";
import { beginStage } from "#agent/run/build/begin-stage.ts";
import { completeRelease } from "#agent/run/build/complete-release.ts";
import { planBuild } from "#agent/run/build/plan-build.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { type StageLimit, startLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import type { TakeTask } from "#agent/workspace/artifact-task.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { ownRelease } from "#agent/workspace/remove-owned.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type BuiltRelease, type Release, releasePath, removeRelease } from "#agent/workspace/releases.ts";
import type { Manifest } from "#build/artifact/manifest.ts";
import { checkParts } from "#build/artifact/sealed-parts.ts";
import { unpackArtifact } from "#build/artifact/unpack-artifact.ts";
import { head } from "#build/failure/make-failure.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { Artifact } from "#contract/artifact.ts";
import { CommitSha, MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { counted } from "#contract/lib/counted.ts";
import { succeed } from "#contract/lib/result.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { openArtifactKey } from "#sealing/artifact-box.ts";

/** Why the build is not taken. `code`: how a run fails that cannot build by itself. */
type NotTaken = {
  readonly kind: "not_taken";
  readonly code: "refused_by_policy" | "artifact_invalid" | "artifact_unavailable";
  readonly reason: string;
};
type Opened = { readonly kind: "open"; readonly key: Uint8Array<ArrayBuffer> };

/**
 * Makes a release of a build that another server or a client has made: downloads it, checks it, decrypts it and unpacks it.
 * @returns null if this server has to build by itself: it has said why in the log
 */
export async function takeBuild(scope: RunScope, task: TakeTask): Promise<Step<Release | null>> {
  const usable = await openBuild(scope, task.artifact);
  if (usable.kind === "not_taken") return buildInstead(scope, task, usable);
  try {
    return await downloadAndUnpack(scope, task, usable.key);
  } finally {
    await tidyArtifacts(scope);
  }
}

/** Deletes downloaded parts, unless the agent is ending: its next one may have to download the same. Never throws. */
export async function tidyArtifacts({ folder, interrupt, context }: RunScope): Promise<void> {
  if (interrupt.reason === "shutdown") return;
  await removeTree(folder.artifacts).catch((error: unknown) =>
    context.log(`${folder.id}: parts of a build cannot be deleted: ${messageOf(error)}`),
  );
}

function buildInstead(scope: RunScope, { required }: TakeTask, { code, reason }: NotTaken): Step<null> {
  if (required) return fail(code, "fetch", `this server cannot use the build: ${reason}`);
  scope.log.system("fetch", `building here instead of taking the build of another server: ${reason}`);
  return succeed(null);
}

async function openBuild(scope: RunScope, artifact: Artifact): Promise<NotTaken | Opened> {
  const { context, folder, projectId } = scope;
  const refusal = checkArtifacts(context.policy, "a build of another machine");
  if (refusal !== null) return { kind: "not_taken", code: "refused_by_policy", reason: refusal };
  const problem = platformProblem(artifact.platform, await readPlatform(folder));
  if (problem !== null) return { kind: "not_taken", code: "artifact_invalid", reason: problem };
  const { keys, shown } = context.sealKey;
  const box = new Map(Object.entries(artifact.boxes)).get(shown.fingerprint);
  const { sha256 } = artifact;
  const key = box === undefined ? null : await openArtifactKey(keys, { projectId, sha256 }, box);
  if (key !== null) return { kind: "open", key };
  const reason =
    box === undefined ? "it was not made for this server's key" : "this server cannot open its key";
  return { kind: "not_taken", code: "artifact_invalid", reason };
}

async function downloadAndUnpack(
  scope: RunScope,
  task: TakeTask,
  key: Uint8Array<ArrayBuffer>,
): Promise<Step<Release | null>> {
  const { order, folder } = scope;
  const { artifact } = task;
  const parts = join(folder.artifacts, artifact.sha256);
  const limit = startLimit(order.timeouts.fetch_seconds, scope.interrupt);
  try {
    await removeOthers(folder, artifact.sha256);
    await removeRelease(folder, order.version);
    const received = await download(scope, artifact, parts, limit);
    if (!received.ok) return received;
    if (received.value !== null) return buildInstead(scope, task, received.value);
    const manifest = await unpack(scope, artifact, { parts, key, limit });
    if (!manifest.ok) return manifest;
    return await complete(scope, task, manifest.value);
  } catch (error) {
    if (limit.hasTimedOut)
      return fail(
        "timed_out",
        "fetch",
        `the build could not be unpacked within the ${counted(limit.seconds, "second")} of the fetch stage`,
      );
    if (limit.signal.aborted) return interrupted;
    throw error;
  } finally {
    limit.clear();
  }
}

/** Deletes what is left of other artifacts. */
async function removeOthers({ artifacts }: ProjectFolder, sha256: string): Promise<void> {
  for (const name of await readdir(artifacts).catch(() => []))
    if (name !== sha256) await removeTree(join(artifacts, name));
}

/** @returns null when all parts are there and have the artifact's hash; why not if the control plane does not have it */
async function download(
  scope: RunScope,
  artifact: Artifact,
  parts: string,
  limit: StageLimit,
): Promise<Step<NotTaken | null>> {
  const { context, log } = scope;
  const startedAt = context.clock.monotonic();
  log.system("fetch", `downloading the build (${sizeText(artifact.bytes)})`);
  await mkdir(parts, { recursive: true });
  await requireSpace(parts, artifact.bytes, "the build");
  const end = await receiveParts(scope, parts, artifact, limit.signal);
  switch (end.kind) {
    case "done":
      break;
    case "gone":
      return succeed({ kind: "not_taken", code: "artifact_unavailable", reason: end.reason });
    case "refused":
      return fail(
        "artifact_unavailable",
        "fetch",
        `the control plane does not give out the build: ${end.reason}`,
      );
    case "stopped": {
      if (!limit.hasTimedOut) return interrupted;
      const within = `within the ${counted(limit.seconds, "second")} of the fetch stage`;
      const why = end.reason === null ? "" : `: ${end.reason}`;
      return fail("artifact_unavailable", "fetch", `the build could not be downloaded ${within}${why}`);
    }
  }
  const problem = await checkParts(parts, artifact, limit.signal);
  if (problem !== null) return invalid(problem.message);
  log.system("fetch", `downloaded the build (${Math.round(context.clock.monotonic() - startedAt)} ms)`);
  return succeed(null);
}

type Unpacking = { readonly parts: string; readonly key: Uint8Array; readonly limit: StageLimit };

/** What an artifact says about itself, checked against the order. */
type Contents = {
  readonly commit: { readonly sha: string; readonly message: string };
  readonly release: BuiltWith | null;
};

async function unpack(
  scope: RunScope,
  artifact: Artifact,
  { parts, key, limit }: Unpacking,
): Promise<Step<Contents>> {
  const { order, folder, context, projectId, log } = scope;
  const startedAt = context.clock.monotonic();
  const path = releasePath(folder, order.version);
  await mkdir(path, { recursive: true });
  const unpacked = await unpackArtifact(parts, artifact, {
    into: await realpath(path),
    key,
    projectId,
    signal: limit.signal,
    check: async ({ disk_bytes }) => requireSpace(path, disk_bytes, "the unpacked build"),
  });
  if (!unpacked.ok) return invalid(unpacked.problem.message);
  const { entries, bytes } = unpacked.value;
  const ms = Math.round(context.clock.monotonic() - startedAt);
  log.system("fetch", `unpacked ${counted(entries, "file")} with ${sizeText(bytes)} (${ms} ms)`);
  return readContents(order, unpacked.value);
}

function readContents(order: RunOrder, { commit, release }: Manifest): Step<Contents> {
  const ordered = CommitSha.safeParse(order.source.commit);
  if (commit !== null && ordered.success && commit.sha !== ordered.data)
    return invalid(`it was built from ${commit.sha}, but the order is for ${ordered.data}`);
  const known = commit ?? (ordered.success ? { sha: ordered.data, message: "" } : null);
  if (known === null) return invalid("nothing says from which commit it was built");
  if (release === null) return succeed({ commit: known, release: null });
  const parsed = parseKnown(BuiltWith, release);
  if (!parsed.success) return invalid("its description is not valid");
  const { root_directory: root } = parsed.data;
  if (root !== order.root_directory)
    return invalid(`it was built in the root directory ${root}, but the project has ${order.root_directory}`);
  return succeed({ commit: known, release: parsed.data });
}

const invalid = (reason: string) => fail("artifact_invalid", "fetch", `the build cannot be used: ${reason}`);

/** Turns the unpacked files into a release, as if they had been built here. */
async function complete(
  scope: RunScope,
  task: TakeTask,
  { commit: { sha, message }, release: described }: Contents,
): Promise<Step<Release | null>> {
  const { languages, release } = described === null ? { languages: {}, release: null } : split(described);
  const commit_message = head(scope.mask(message), MAX_COMMIT_MESSAGE);
  const plan = await planBuild(scope, { sha, message: commit_message }, { release });
  if (!plan.ok) return plan;
  const { tools } = plan.value;
  const problem = languageProblem(languages, tools.languages);
  // A tool that was installed here for a stage has the version that the repository asks for.
  if (problem !== null && !tools.hasBegun)
    return buildInstead(scope, task, { kind: "not_taken", code: "artifact_invalid", reason: problem });
  scope.reporter.report({ type: "resolved", commit_sha: sha, commit_message }, "patient");
  beginStage(scope, "build", plan.value);
  await ownRelease(scope.context, scope.folder, scope.order.version);
  const image = plan.value.choice.image === null ? succeed(null) : await imageOf(scope, plan.value);
  if (!image.ok) return image;
  const built =
    release === null || image.value !== null
      ? await describeBuild(scope, plan.value, image.value)
      : succeed(release);
  if (!built.ok) return built;
  return await completeRelease(scope, plan.value, built.value, true);
}

/** The image of a build that was made elsewhere. It is built here if the files do not have it, as the files of a CI job. */
async function imageOf(scope: RunScope, plan: BuildPlan): Promise<Step<ReleaseImage>> {
  const loaded = await loadImage(scope);
  if (!loaded.ok) return loaded;
  return loaded.value === null ? await buildImage(scope, plan) : succeed(loaded.value);
}

/** The record of a release does not have the languages: it has the folders of its tools. */
function split({ languages, ...release }: BuiltWith): {
  readonly languages: BuiltWith["languages"];
  readonly release: BuiltRelease;
} {
  return { languages, release };
}
