import { createHash } from "node:crypto";
import { join } from "node:path";

import { buildCommand, inspectCommand, tagCommand } from "#agent/containers/build-script.ts";
import type { EnginePlace } from "#agent/containers/engine-script.ts";
import { imageFailure } from "#agent/run/image/image-failure.ts";
import { readImage } from "#agent/containers/read-image.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { runCommand } from "#agent/step/run-command.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { type StageLimit, startLimit } from "#agent/step/stage-limit.ts";
import { fail, failWith, interrupted, type Step } from "#agent/step/step.ts";
import { listReleases, readRelease } from "#agent/workspace/releases.ts";
import type { Environment } from "#build/commands/environment.ts";
import { timeoutFailure } from "#build/failure/command-failure.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import type { DockerfileFacts } from "#project-files/dockerfile/read-dockerfile.ts";
import { succeed } from "#contract/lib/result.ts";
import { sizeText } from "#contract/lib/size-text.ts";

/** The places of the commands in the names of their units, beside the places of other build commands. */
const units = { build: 2, tag: 3, inspect: 4 } as const;

/** Builds the image of a release from its Dockerfile, or takes the image of an earlier release that was built from the same. */
export async function buildImage(scope: RunScope, plan: BuildPlan): Promise<Step<ReleaseImage>> {
  const { order, context, log } = scope;
  const { image: chosen } = plan.choice;
  if (chosen === null) return fail("internal", "build", "the release is not built from a Dockerfile");
  const { dockerfile, facts } = chosen;
  const place = { folder: scope.folder, environment: context.environment };
  const limit = startLimit(order.timeouts.build_seconds, scope.interrupt);
  try {
    const folder = await folderInside(plan.root, dockerfile.context);
    if (folder.kind !== "inside")
      return fail(
        "build_failed",
        "build",
        `the context \`${dockerfile.context}\` is not a folder of the repository`,
      );
    const { args, secrets } = imageVariables(scope, facts);
    const key = imageKey(scope, plan, args);
    const kept = order.cache.clear || key === null ? null : await findImage(scope, key);
    const isTagged = kept !== null && (await tagImage(scope, place, kept, limit));
    if (!isTagged) {
      const command = buildCommand(place, {
        ...{ version: order.version, args, secrets, isFresh: order.cache.clear },
        dockerfile: join(plan.root, dockerfile.path),
        context: folder.path,
        target: dockerfile.target ?? null,
      });
      if (!command.ok) return fail("build_failed", "build", command.reason);
      log.system("build", `building the image from ${dockerfile.path}`);
      const ran = await runEngine(scope, command.value, "build", limit);
      if (ran.end.kind === "stopped")
        return limit.hasTimedOut ? failWith(timeoutFailure("build", limit.seconds, ran)) : interrupted;
      if (!hasSucceeded(ran.end)) return failWith(await imageFailure(context.home, ran));
    } else log.system("build", "nothing has changed since an earlier release: its image is used again");
    return await describeImage(scope, place, key, limit);
  } finally {
    limit.clear();
  }
}

async function describeImage(
  scope: RunScope,
  place: EnginePlace,
  key: string | null,
  limit: StageLimit,
): Promise<Step<ReleaseImage>> {
  const { order, log } = scope;
  const inspected = await runEngine(scope, inspectCommand(place, order.version), "inspect", limit);
  if (inspected.end.kind === "stopped")
    return limit.hasTimedOut ? failWith(timeoutFailure("build", limit.seconds, inspected)) : interrupted;
  const read = readImage(inspected.stdout);
  if (!read.ok) return fail("build_failed", "build", read.reason);
  const image = { ...read.value, shared_paths: [...order.shared_paths], ...(key === null ? {} : { key }) };
  log.system("build", `the image ${image.id.slice(0, 12)} has ${sizeText(image.bytes)}`);
  return succeed(image);
}

async function tagImage(
  scope: RunScope,
  place: EnginePlace,
  id: string,
  limit: StageLimit,
): Promise<boolean> {
  const ran = await runEngine(scope, tagCommand(place, id, scope.order.version), "tag", limit);
  return hasSucceeded(ran.end);
}

function runEngine(
  scope: RunScope,
  command: Parameters<typeof runCommand>[1],
  unit: keyof typeof units,
  limit: StageLimit,
): ReturnType<typeof runCommand> {
  return runCommand(scope, command, {
    stage: "build",
    signal: limit.signal,
    leftovers: "kill",
    stdout: unit === "build" ? "log" : "capture",
    isQuiet: unit !== "build",
    unit: {
      kind: "build",
      version: scope.order.version,
      number: units[unit],
      limits: unitLimits("build", scope.limits ?? {}, scope.context.policy),
    },
  });
}

/**
 * What a build sees of the project's variables: the plain ones that the Dockerfile has an ARG for, which become part of the image's
 * history, and the secrets of builds, which only instructions that mount them see.
 */
function imageVariables(
  { order, variables }: RunScope,
  { argNames, secrets: mounted }: DockerfileFacts,
): { readonly args: Environment; readonly secrets: Environment } {
  const isSecret = new Set((order.variables?.secrets ?? []).map(({ name }) => name));
  const all = Object.entries(variables.build);
  return {
    args: Object.fromEntries(all.filter(([name]) => !isSecret.has(name) && argNames.includes(name))),
    secrets: Object.fromEntries(all.filter(([name]) => isSecret.has(name) && mounted.includes(name))),
  };
}

/** Equal for builds of the same files with the same settings and variables; null if nobody knows the hash of the files. */
function imageKey({ order }: RunScope, { choice, treeSha }: BuildPlan, args: Environment): string | null {
  if (treeSha === null) return null;
  const secrets = (order.variables?.secrets ?? []).map(({ name, revision }) => `${name} ${revision}`);
  const parts = [
    treeSha,
    order.root_directory,
    choice.image?.dockerfile,
    Object.entries(args)
      .map((entry) => JSON.stringify(entry))
      .toSorted(),
    secrets.toSorted(),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** The image of the newest release with this key. */
async function findImage({ folder }: RunScope, key: string): Promise<string | null> {
  const { complete } = await listReleases(folder);
  for (const version of complete.toReversed()) {
    const release = await readRelease(folder, version);
    if (release?.image?.key === key) return release.image.id;
  }
  return null;
}
