import { packBuild, type PackedBuild } from "#agent/run/artifact/make-artifact.ts";
import { makeTaskOf } from "#agent/workspace/artifact-task.ts";
import { hides } from "#build/site-rules/source-files.ts";
import { DEFAULT_RULES, rulesId, type SiteRules } from "#agent/workspace/site-rules.ts";
import { type BuildChoice, definitionsOf, withImageCommand } from "#build/choose-build.ts";
import { chooseFallback } from "#build/choose-fallback.ts";
import { missingParts } from "#build/tree/missing-parts.ts";
import { describeCustomRules } from "#build/site-rules/describe-custom-rules.ts";
import { readCustomRules } from "#build/site-rules/read-custom-rules.ts";
import { outputFailure } from "#build/failure/directory-failure.ts";
import { beginStage } from "#agent/run/build/begin-stage.ts";
import { completeRelease, withBuildLimit } from "#agent/run/build/complete-release.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { runBuildCommand } from "#agent/run/build/run-build-command.ts";
import { restoreBuildCaches } from "#agent/run/cache/build-caches.ts";
import { ownRelease } from "#agent/workspace/remove-owned.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { fail, failWith, interrupted, type Step } from "#agent/step/step.ts";
import { checkSite } from "#build/tree/check-site.ts";
import { findOutput, noOutput } from "#build/tree/find-output.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { removeImageFile, saveImage } from "#agent/run/image/ship-image.ts";
import { buildImage } from "#agent/run/image/build-image.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import { type ProcessDefinitions, WEB } from "#contract/endpoints/processes/schemas.ts";
import type { BuiltRelease, Release } from "#agent/workspace/releases.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { succeed } from "#contract/lib/result.ts";

/** A complete release, and the same for other servers if the order asks for that. */
export type Built = { readonly release: Release; readonly packed: PackedBuild | null };

/** Turns the files of a release into a complete one: build command, shared paths, record. */
export async function buildRelease(scope: RunScope, plan: BuildPlan): Promise<Step<Built>> {
  const { order, folder, context } = scope;
  const { build_command } = plan;
  const startedAt = context.clock.monotonic();
  const place = beginStage(scope, "build", plan);
  const image = plan.choice.image === null ? succeed(null) : await buildImage(scope, plan);
  if (!image.ok) return image;
  if (build_command !== null) {
    await withBuildLimit(scope, plan, restoreBuildCaches);
    if (scope.interrupt.signal.aborted) return interrupted;
    const built = await runBuildCommand(scope, "build", build_command, place);
    if (!built.ok) return built;
  }
  // The helper does it around each command.
  if (plan.install_command === null && build_command === null)
    await ownRelease(scope.context, folder, order.version);
  const described = await describeBuild(scope, plan, image.value);
  if (!described.ok) return described;
  const packed = makeTaskOf(order) === null ? null : await pack(scope, plan, described.value, startedAt);
  if (packed?.ok === false) return packed;
  const release = await completeRelease(scope, plan, described.value);
  if (!release.ok) return release;
  if (packed === null) return succeed({ release: release.value, packed: null });
  return succeed({ release: release.value, packed: packed.value });
}

/** Packs a build for other servers, with its image. */
async function pack(
  scope: RunScope,
  plan: BuildPlan,
  built: BuiltRelease,
  startedAt: number,
): Promise<Step<PackedBuild>> {
  const saved = built.image === undefined ? succeed(null) : await saveImage(scope, built.image);
  if (!saved.ok) return saved;
  const packed = await packBuild(scope, plan, built, startedAt);
  if (built.image !== undefined) await removeImageFile(scope);
  return packed;
}

/** What the build decides about its release: what is published and how, and what runs. */
export async function describeBuild(
  scope: RunScope,
  plan: BuildPlan,
  image: ReleaseImage | null,
): Promise<Step<BuiltRelease>> {
  const { choice } = plan;
  const processes =
    image === null ? succeed(definitionsOf(choice.processes)) : withOwnCommand(scope, choice, image);
  if (!processes.ok) return processes;
  const found = await outputOf(scope, plan);
  if (!found.ok) return found;
  const { folder: output_directory, path: output } = found.value;
  const rules = await chooseRules(scope, { ...plan, output_directory }, output);
  if (!rules.ok) return rules;
  return succeed({
    root_directory: scope.order.root_directory,
    output_directory,
    ...(Object.keys(processes.value).length === 0 ? {} : { processes: processes.value }),
    ...(choice.cron.length === 0 ? {} : { cron: [...choice.cron] }),
    ...(choice.releaseCommand === null ? {} : { release_command: choice.releaseCommand.command }),
    commands_from: hasOwnCommands(scope.order) ? "settings" : "repository",
    ...(choice.isPublished ? {} : { published: false }),
    ...(rules.value === null ? {} : { site_rules: rules.value }),
    ...(image === null ? {} : { image }),
  });
}

/** The processes of a release that is an image. Its own command is `web`, unless the repository or the project defines it. */
function withOwnCommand(
  { order, reporter, log }: RunScope,
  choice: BuildChoice,
  { command }: ReleaseImage,
): Step<ProcessDefinitions> {
  const isDefined = choice.image?.web === null || order.processes[WEB]?.command !== undefined;
  if (command === null)
    return isDefined
      ? succeed(definitionsOf(choice.processes))
      : fail(
          "build_failed",
          "build",
          "the image has no command",
          undefined,
          choice.image?.isPrebuilt === true
            ? "Set the command of the process web."
            : "End the Dockerfile with CMD, or set the command of the process web.",
        );
  const own = withImageCommand(choice, command);
  if (!isDefined) log.system("build", `web runs the command of the image: ${command}`);
  reporter.report({ type: "framework", preset: own.preset }, "patient");
  return succeed(definitionsOf(own.processes));
}

/** Whether a command of the settings has run in the release or runs in it before it is live, or they chose its preset. */
function hasOwnCommands({ framework, install_command, build_command, release_command }: RunOrder): boolean {
  const own = [framework, install_command, build_command, release_command];
  return own.some((setting) => typeof setting === "string");
}

/** Decides how the files are served. @returns null for the default rules, and for releases that are not published */
async function chooseRules(
  { log }: RunScope,
  plan: BuildPlan,
  output: string,
): Promise<Step<SiteRules | null>> {
  const { choice, root, output_directory, trailing_slash } = plan;
  if (!choice.isPublished) return succeed(null);
  const chosen = await chooseFallback({ plan, isSet: choice.setsFallback, root, output });
  if (chosen.kind === "missing")
    return fail(
      "build_failed",
      "build",
      `the fallback \`${chosen.fallback}\` is not in the output directory \`${output_directory}\``,
      undefined,
      "Set fallback to a file that the build creates, or to null for none.",
    );
  const { fallback, reason } = chosen;
  if (fallback !== null) log.system("build", `paths without a file get ${fallback} with the status 200`);
  if (reason !== null)
    log.system("build", `paths without a file are missing, because ${reason}: set fallback to change this`);
  const custom = await readCustomRules(output, root);
  for (const line of describeCustomRules(custom)) log.system("build", line);
  const { redirects, headers } = custom;
  const parts = await missingParts(output, hides(plan), redirects);
  if (parts !== null) log.system("build", `warning: ${parts}`);
  const rules: SiteRules = {
    trailing_slash,
    fallback,
    ...(redirects.length === 0 ? {} : { redirects: [...redirects] }),
    ...(headers.length === 0 ? {} : { headers: [...headers] }),
  };
  return succeed(rulesId(rules) === DEFAULT_RULES ? null : rules);
}

/** `folder`: relative to the root directory. `path`: the real one. */
type Output = { readonly folder: string; readonly path: string };

/** The folder to publish, which must be a site if no setting names it. Nothing is published of a server. */
async function outputOf(scope: RunScope, plan: BuildPlan): Promise<Step<Output>> {
  const { isPublished, isOutputNamed, findsOutput, preset } = plan.choice;
  const found = findsOutput
    ? await findOutput(plan.root, plan.foldersBefore, plan.output_directory)
    : { kind: "found" as const, folder: plan.output_directory };
  if (found.kind === "missing") return failWith(noOutput(found));
  const { folder } = found;
  if (findsOutput) {
    scope.log.system("build", `${folder} has an index.html after the build, and is published`);
    scope.reporter.report({ type: "framework", preset: { ...preset, output_directory: folder } }, "patient");
  }
  const output = await folderInside(plan.release, `${scope.order.root_directory}/${folder}`);
  if (output.kind !== "inside") return failWith(await outputFailure(folder, output, plan.root));
  const failure = isPublished && !isOutputNamed ? await checkSite(output.path, folder, plan.root) : null;
  return failure === null ? succeed({ folder, path: output.path }) : failWith(failure);
}
