import { createHash } from "node:crypto";
import { join } from "node:path";

import { buildCommand, tagCommand } from "#agent/containers/build-script.ts";
import { imagePolicyOf } from "#agent/containers/image-policy.ts";
import { probeCommand } from "#agent/containers/image-script.ts";
import { checkStored } from "#agent/policy/check-containers.ts";
import { pullImage } from "#agent/run/image/fetch-image.ts";
import { imageFailure, pulledImage, unreadableImage } from "#agent/run/image/image-failure.ts";
import { requireBuildSpace } from "#agent/run/image/image-space.ts";
import { describeImage, placeOfRun, runEngine, stepAfterEngine } from "#agent/run/image/run-engine.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { type StageLimit, startLimit } from "#agent/step/stage-limit.ts";
import { fail, failWith, type Step } from "#agent/step/step.ts";
import { openLogins, registryAuth } from "#agent/secrets/registry-auth.ts";
import { takeTaskOf } from "#agent/workspace/artifact-task.ts";
import { listReleases, readRelease } from "#agent/workspace/releases.ts";
import type { ImageChoice } from "#build/choose-image.ts";
import type { Environment } from "#build/commands/environment.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import type { DockerfileFacts } from "#project-files/dockerfile/read-dockerfile.ts";
import { isAccessToken } from "#contract/endpoints/variables/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Builds the image of a release from its Dockerfile, or takes the image of an earlier release that was built from the same. Of a
 * project whose repository has images, describes the image that was fetched.
 */
export async function buildImage(scope: RunScope, plan: BuildPlan): Promise<Step<ReleaseImage>> {
  const { image } = plan.choice;
  if (image === null) return fail("internal", "build", "the release is not built from a Dockerfile");
  const limit = startLimit(scope.order.timeouts.build_seconds, scope.interrupt);
  try {
    const made =
      image.isPrebuilt === true
        ? await fetchedImage(scope, plan, limit)
        : await imageOfDockerfile(scope, plan, image, limit);
    const signatures = imagePolicyOf(scope.context.policy);
    return made.ok && signatures !== null ? succeed({ ...made.value, checked: signatures.hash }) : made;
  } finally {
    limit.clear();
  }
}

async function fetchedImage(
  scope: RunScope,
  plan: BuildPlan,
  limit: StageLimit,
): Promise<Step<ReleaseImage>> {
  // The first server has fetched it. The others have only its digest.
  const isHere = takeTaskOf(scope.order) === null;
  const pulled = isHere ? succeed(null) : await pullImage(scope, plan.commitSha, limit);
  return pulled.ok ? await describeImage(scope, limit) : pulled;
}

async function imageOfDockerfile(
  scope: RunScope,
  plan: BuildPlan,
  image: ImageChoice,
  limit: StageLimit,
): Promise<Step<ReleaseImage>> {
  const variables = imageVariables(scope, image.facts);
  const key = imageKey(scope, plan, variables.args);
  const kept = key === null ? null : await reuseImage(scope, key, limit);
  if (kept !== null) {
    scope.log.system("build", "nothing has changed since an earlier release: its image is used again");
    return succeed({ ...kept, shared_paths: [...scope.order.shared_paths] });
  }
  const built = await runBuild(scope, plan, image, variables, limit);
  if (!built.ok) return built;
  const described = await describeImage(scope, limit);
  return described.ok && key !== null ? succeed({ ...described.value, key }) : described;
}

/** Gives the release the image of an earlier release with this key. @returns null if there is none */
async function reuseImage(
  scope: RunScope,
  key: string,
  { signal }: StageLimit,
): Promise<ReleaseImage | null> {
  const { order } = scope;
  const kept = order.cache.clear ? null : await findImage(scope, key);
  if (kept === null) return null;
  const command = tagCommand(placeOfRun(scope), kept.id, order.version);
  const tagged = await runEngine(scope, command, "tag", signal);
  return hasSucceeded(tagged.end) ? kept : null;
}

async function runBuild(
  scope: RunScope,
  plan: BuildPlan,
  { dockerfile, facts }: ImageChoice,
  variables: ImageVariables,
  limit: StageLimit,
): Promise<Step<null>> {
  const { order, context, log } = scope;
  const folder = await folderInside(plan.root, dockerfile.context);
  if (folder.kind !== "inside")
    return fail(
      "build_failed",
      "build",
      `the context \`${dockerfile.context}\` is not a folder of the repository`,
    );
  const refusal = checkStored(context.policy, {
    path: dockerfile.path,
    facts,
    args: variables.args,
  });
  if (refusal !== null) return fail("refused_by_policy", "build", refusal);
  const logins = openLogins(scope.variables.registryToken);
  if (!logins.ok) return fail("secrets_unreadable", "build", logins.message);
  await requireBuildSpace(scope);
  const signatures = imagePolicyOf(context.policy);
  const auth = logins.value.length === 0 ? null : registryAuth(logins.value);
  const command = buildCommand(placeOfRun(scope), {
    ...variables,
    ...{ auth, signatures },
    version: order.version,
    isFresh: order.cache.clear,
    dockerfile: join(plan.root, dockerfile.path),
    context: folder.path,
    target: dockerfile.target ?? null,
  });
  if (!command.ok) return fail("build_failed", "build", command.reason);
  log.system("build", `building the image from ${dockerfile.path}`);
  const ran = await runEngine(scope, command.value, "build", limit.signal);
  if (ran.end.kind === "exited" && ran.end.code !== 0) {
    const named = unreadableImage(ran);
    const probe = named === null ? null : probeCommand(placeOfRun(scope), named, auth, signatures);
    const probed = probe === null ? ran : await runEngine(scope, probe, "pull", limit.signal);
    // It stops with the run, and it can get the image at its second try.
    const cause = probed.end.kind === "exited" && probed.end.code !== 0 ? probed : ran;
    return failWith(
      await imageFailure(context, cause, { image: named ?? pulledImage(ran), logins: logins.value }),
    );
  }
  return await stepAfterEngine(scope, ran, limit);
}

type ImageVariables = { readonly args: Environment; readonly secrets: Environment };

/**
 * What a build sees of the project's variables: the plain variables for which the Dockerfile has an ARG, which become part of
 * the image's history, and the secrets of builds, which only instructions that mount them see.
 */
function imageVariables(
  { order, variables }: RunScope,
  { argNames, secrets: mounted }: DockerfileFacts,
): ImageVariables {
  const isSecret = new Set((order.variables?.secrets ?? []).map(({ name }) => name));
  const all = Object.entries(variables.build);
  return {
    args: Object.fromEntries(all.filter(([name]) => !isSecret.has(name) && argNames.includes(name))),
    secrets: Object.fromEntries(all.filter(([name]) => isSecret.has(name) && mounted.includes(name))),
  };
}

/** Equal for builds of the same files with the same settings, variables and rule; null if nobody knows the hash of the files. */
function imageKey(
  { order, context }: RunScope,
  { choice, treeSha }: BuildPlan,
  args: Environment,
): string | null {
  if (treeSha === null) return null;
  const secrets = (order.variables?.secrets ?? [])
    .filter(({ name }) => !isAccessToken(name))
    .map(({ name, revision }) => `${name} ${revision}`);
  const signatures = imagePolicyOf(context.policy);
  const parts = [
    treeSha,
    order.root_directory,
    choice.image?.dockerfile,
    Object.entries(args)
      .map((entry) => JSON.stringify(entry))
      .toSorted(),
    secrets.toSorted(),
    ...(signatures === null ? [] : [signatures.hash]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** The image of the newest release with this key. */
async function findImage({ folder }: RunScope, key: string): Promise<ReleaseImage | null> {
  const { complete } = await listReleases(folder);
  for (const version of complete.toReversed()) {
    const release = await readRelease(folder, version);
    if (release?.image?.key === key) return release.image;
  }
  return null;
}
