import { checkCron, checkProcesses } from "#agent/policy/check-commands.ts";
import { checkArtifacts, checkOrder, checkRelease } from "#agent/policy/check-policy.ts";
import type { PolicyRefusal } from "#agent/policy/refuse.ts";
import { checkContainers } from "#agent/policy/check-containers.ts";
import { runsAsContainer } from "#contract/runs-as-container.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { discardNextPlace } from "#agent/workspace/live-place.ts";
import { jobsHere, processesHere, servesDomain, unknownHere } from "#agent/workspace/place.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { reportResult } from "#agent/report/report-result.ts";
import { sendBuild } from "#agent/run/artifact/make-artifact.ts";
import { takeBuild } from "#agent/run/artifact/take-artifact.ts";
import { isOnlyBuilder, makeTaskOf, takeTaskOf } from "#agent/workspace/artifact-task.ts";
import { activateRelease } from "#agent/run/activate/activate-stage.ts";
import { commitLive, isCommitted } from "#agent/apps/commit-live.ts";
import { discardNextJobs } from "#agent/workspace/live-jobs.ts";
import { endRollout, revertRollout, type Rollout } from "#agent/apps/rollout.ts";
import { checkInstances, switchTrafficBack } from "#agent/run/activate/switch-instances.ts";
import { startInstances } from "#agent/run/start/start-stage.ts";
import { runReleaseCommand } from "#agent/run/activate/release-stage.ts";
import { buildRelease } from "#agent/run/build/build-stage.ts";
import { installDependencies } from "#agent/run/build/install-stage.ts";
import { type BuildPlan, planBuild } from "#agent/run/build/plan-build.ts";
import { clearCache } from "#agent/run/cache/tidy-cache.ts";
import { type FetchedSource, fetchRelease } from "#agent/run/fetch/fetch-stage.ts";
import { endRelease, traceOfRun } from "#agent/run/activate/end-release.ts";
import { pruneReleases, removePruned } from "#agent/run/activate/prune.ts";
import { reactivate, switchBack } from "#agent/run/activate/revert.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { resultOf } from "#agent/run/run-result.ts";
import { fail, failUnexpectedly, interrupted, type Step } from "#agent/step/step.ts";
import { verifyRelease } from "#agent/run/activate/verify-stage.ts";
import { linkTarget, readCurrent } from "#agent/workspace/current-link.ts";
import { removeOwned } from "#agent/workspace/remove-owned.ts";
import { removeUnfinished } from "#agent/run/remove-unfinished.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { keepAssets } from "#agent/ingress/earlier-assets.ts";
import { recordLiveCommit } from "#agent/workspace/live-commits.ts";
import { tidyOutput } from "#agent/workspace/output-folder.ts";
import { readRelease, type Release, removeRelease } from "#agent/workspace/releases.ts";
import type { RunResult } from "#contract/agent-events.ts";
import type { RunStage } from "#contract/stages.ts";
import { succeed } from "#contract/lib/result.ts";
import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import { prepareReleaseVariables, tidyReleaseVariables } from "#agent/secrets/release-variables.ts";

/** Runs each stage. A stage without a function does not compile. */
const stageFunctions = {
  fetch: fetchRelease,
  install: installDependencies,
  build: buildRelease,
  release: runReleaseCommand,
  start: startInstances,
  activate: activateRelease,
  verify: verifyRelease,
} as const satisfies Record<RunStage, (scope: RunScope, ...rest: never[]) => Promise<Step<unknown>>>;

/**
 * Carries out a run from its first stage to its result, which is reported last. When it returns, no process of the
 * run is left and the project's folder matches the result. Only pruned releases may still be being deleted, in
 * parallel to the project's next run.
 * @returns what remains to be done before the project's next run, which may switch away from the release. Never throws.
 * @param unreadable why the order's secrets cannot be opened, which fails the run; `null` when they are open
 */
export async function runDeployment(
  scope: RunScope,
  unreadable: string | null,
): Promise<() => Promise<void>> {
  const { order, folder, journal, reporter } = scope;
  const previous = await readCurrent(folder);
  const progress: Progress = {
    stage: "fetch",
    isBuilding: false,
    permit: null,
    activates: null,
    rollout: null,
  };
  const carriedOut =
    unreadable === null
      ? carryOut(scope, previous, progress)
      : Promise.resolve(fail("secrets_unreadable", "fetch", unreadable));
  const end = await carriedOut.catch((error: unknown) => failUnexpectedly(error, progress.stage));
  if (!end.ok)
    await undo(scope, previous, progress).catch((error: unknown) => {
      scope.log.system("activate", `cleaning up failed: ${messageOf(error)}`);
      scope.context.log(
        `${order.project_name}: cleaning up after ${order.run_id} failed: ${messageOf(error)}`,
      );
    });
  const result = end.ok ? end.value : resultOf(end.end, scope.interrupt.reason, progress.stage);
  const isLive = result?.outcome === "live";
  let pruned: readonly string[] = [];
  let isRecorded = result === null || journal.decide(result);
  if (!isRecorded && result !== null) {
    // On a full disk, deleting the pruned releases makes room for the journal entry.
    if (isLive) await removePruned(scope, await pruneReleases(scope, result.release, previous));
    await removeTree(folder.temp).catch(() => undefined);
    isRecorded = journal.decide(result);
  }
  if (result?.outcome === "built")
    await removeOwned(scope.context, folder, () => removeRelease(folder, order.version)).catch(
      (error: unknown) => scope.context.log(`${order.project_name}: ${messageOf(error)}`),
    );
  // After the verdict is on disk: a recovery that finds the verdict does the same, and a recovery without it finds the
  // old state.
  if (isLive) {
    await commitLive(scope.context, folder, result.release);
    await endSite(scope);
  }
  endRollout(scope.context, folder);
  if (isLive && isRecorded) pruned = await pruneReleases(scope, result.release, previous);
  await Promise.all([
    removeTree(folder.temp).catch(() => undefined),
    readCurrent(folder).then((current) => tidyOutput(scope.context.isolation, folder, current)),
    isCommitted(scope.context, folder).then((isDone) => (isDone ? tidyReleaseVariables(folder) : undefined)),
  ]);
  if (result === null) return async () => undefined;
  await reportResult(scope.context, reporter, order.project_id, result);
  void removePruned(scope, pruned);
  return async () => {
    if (isLive) await keepLiveAssets(scope, result.release, previous);
  };
}

/** Has the site server of this machine stop serving a project that other servers serve now. */
async function endSite({ context, order }: RunScope): Promise<void> {
  const { sites } = context;
  if (servesDomain(order.place ?? null) || sites.urlOf(order.project_id) === null) return;
  await sites
    .unregister(order.project_id)
    .catch((error: unknown) => context.log(`${order.project_name}: ${messageOf(error)}`));
}

/** Without them, browsers with pages of this release miss files after the next switch, which is no reason to fail. */
async function keepLiveAssets(
  { context, folder, order }: RunScope,
  version: number,
  previous: number | null,
): Promise<void> {
  const overlapSeconds = order.asset_overlap;
  try {
    const release = await readRelease(folder, version);
    const before = previous === null || previous === version ? null : await readRelease(folder, previous);
    const options = { now: context.clock.now(), overlapSeconds };
    if (release !== null) await keepAssets(folder, release, before, options);
  } catch (error) {
    context.log(`${order.project_name}: files for later could not be kept: ${messageOf(error)}`);
  }
}

/** How far a run has got, and so what must be undone if it stops there. */
type Progress = {
  stage: RunStage;
  isBuilding: boolean;
  /** The answer to the request for the activation permit; `null` before it was sent. */
  permit: Promise<boolean> | null;
  activates: number | null;
  /** The change of the project's instances, from its plan on. */
  rollout: Rollout | null;
};

async function carryOut(
  scope: RunScope,
  previous: number | null,
  progress: Progress,
): Promise<Step<RunResult>> {
  const { order, reporter, interrupt, context } = scope;
  if (interrupt.signal.aborted) return interrupted;
  const ready = await prepareRelease(scope, previous, progress);
  if (!ready.ok) return ready;
  if (isOnlyBuilder(order)) return succeed({ outcome: "built" });
  const place = order.place ?? null;
  const processes = processesHere(place, ready.value.processes ?? {}, order.processes);
  const jobs = jobsHere(place, ready.value.cron ?? [], order.cron);
  const refusal =
    checkProcesses(context.policy, processes, ready.value.processes ?? {}) ?? checkCron(context.policy, jobs);
  if (refusal !== null) return fail("refused_by_policy", progress.stage, refusal);
  // The control plane may be newer, or know more time zones.
  const wrong = findCronProblem(jobs);
  if (wrong !== null) {
    const [at, field] = wrong.path;
    const what = `the ${field} of the job ${jobs[at]?.name} ${wrong.message}`;
    return fail("start_failed", progress.stage, what);
  }
  const unknown = unknownHere(place, processes);
  if (unknown.length > 0)
    scope.log.system(
      progress.stage,
      `this server should run ${unknown.join(", ")}, which this release does not have`,
    );
  if (!order.preapproved) {
    const isPermitted = await (progress.permit ?? reporter.askPermit(interrupt.signal));
    if (!isPermitted) return interrupted;
  }
  if (interrupt.signal.aborted) return interrupted;
  interrupt.commit();

  const release = ready.value;
  progress.stage = "release";
  const released = await stageFunctions.release(scope, release);
  if (!released.ok) return released;
  progress.stage = "start";
  const started = await stageFunctions.start(scope, release, (planned) => (progress.rollout = planned));
  if (!started.ok) return started;
  const rollout = started.value;
  progress.stage = "activate";
  await prepareReleaseVariables(scope.folder, release.version, order.variables);
  progress.activates = release.version;
  const activated = await stageFunctions.activate(scope, release, previous, rollout);
  if (!activated.ok) return activated;
  progress.stage = "verify";
  const healthCheck = await stageFunctions.verify(scope, release, rollout);
  if (!healthCheck.ok) return healthCheck;
  const working = await checkInstances(scope, rollout);
  if (!working.ok) return working;
  await recordLiveCommit(scope.folder, release);
  context.log(`${order.project_name}: ${linkTarget(release.version)} is live`);
  return succeed({
    outcome: "live",
    release: release.version,
    evidence: {
      target: linkTarget(release.version),
      commit_sha: release.commit_sha,
      health_check: healthCheck.value,
    },
  });
}

/** Prepares the release to switch to: the kept one if it still exists, otherwise a new one from the source. */
async function prepareRelease(
  scope: RunScope,
  previous: number | null,
  progress: Progress,
): Promise<Step<Release>> {
  const { order, folder, journal, log, context, reporter } = scope;
  const way = isOnlyBuilder(order) ? "build_only" : takeTaskOf(order) === null ? "build" : "take";
  const ordered = unlessRefused(null, checkOrder(context, order, way));
  if (!ordered.ok) return ordered;
  const { framework, source } = order;
  const isContainer = runsAsContainer({ framework, repository: source.repository });
  const container = isContainer ? requireEngine(context) : succeed(null);
  if (!container.ok) return container;
  if (order.reuse_release !== null) {
    const kept = await readRelease(folder, order.reuse_release);
    if (kept?.image !== undefined) {
      const usable = requireEngine(context);
      if (!usable.ok) return usable;
    }
    // The policy may have changed since it was built.
    if (kept !== null) return unlessRefused(kept, checkRelease(context, kept, previous));
    const instead = way === "take" ? "taking its build" : "building it again";
    log.system("fetch", `${linkTarget(order.reuse_release)} no longer exists: ${instead}`);
    const rebuilt = unlessRefused(null, checkOrder(context, { ...order, reuse_release: null }, way));
    if (!rebuilt.ok) return rebuilt;
  }
  if (previous === order.version)
    return fail("internal", "fetch", `${linkTarget(order.version)} is being served already`);
  const making =
    makeTaskOf(order) === null ? null : checkArtifacts(context.policy, "a build for other servers");
  if (making !== null) return fail("refused_by_policy", "fetch", making);
  progress.isBuilding = true;
  journal.record({ builds: order.version });
  // Sent with later events: a request of its own would take more time than the rest of a small deployment.
  reporter.report({ type: "stage", stage: "fetch" }, "patient");
  const task = takeTaskOf(order);
  if (task !== null) {
    const taken = await takeBuild(scope, task);
    if (!taken.ok) return taken;
    if (taken.value !== null) return succeed(taken.value);
    // A policy can allow builds of other machines, and refuse to build the same commit here.
    const own = unlessRefused(null, checkOrder(context, { ...order, reuse_release: null }));
    if (!own.ok) return own;
  }
  return await buildHere(scope, progress);
}

/** Makes a new release from the source, and sends it to other servers if the order asks for that. */
async function buildHere(scope: RunScope, progress: Progress): Promise<Step<Release>> {
  const { order, context, reporter, interrupt } = scope;
  const commit = await stageFunctions.fetch(scope);
  if (!commit.ok) return commit;
  if (order.cache.clear) await clearCache(scope);
  progress.stage = "build";
  const plan = await planBuild(scope, commit.value);
  if (!plan.ok) return plan;
  progress.stage = "install";
  const installed = await stageFunctions.install(scope, plan.value);
  if (!installed.ok) return installed;
  progress.stage = "build";
  const startedAt = context.clock.monotonic();
  const building = stageFunctions.build(scope, plan.value);
  // The answer arrives while the release is checked and recorded.
  if (!order.preapproved && makeTaskOf(order) === null && isQuickToBuild(plan.value, commit.value))
    progress.permit = reporter.askPermit(interrupt.signal);
  const built = await building;
  if (!built.ok) return built;
  const { release, packed } = built.value;
  const sent = packed === null ? succeed(null) : await sendBuild(scope, packed, startedAt);
  return sent.ok ? succeed(release) : sent;
}

/** Checks that this server can and may run containers. */
function requireEngine({ engine, policy }: AgentContext): Step<null> {
  if (engine.kind === "missing")
    return fail("containers_missing", "fetch", "this server cannot run containers", undefined, engine.reason);
  return unlessRefused(null, checkContainers(policy));
}

/** The index of about 10,000 files. Their links are checked within a fraction of a second. */
const MAX_QUICK_INDEX_BYTES = 1024 * 1024;

/** Whether the permit is requested early. With a command, an image or a larger tree, that would shorten the time to cancel. */
function isQuickToBuild(
  { install_command, build_command, choice }: BuildPlan,
  { indexBytes }: FetchedSource,
): boolean {
  if (choice.image !== null) return false;
  return install_command === null && build_command === null && indexBytes <= MAX_QUICK_INDEX_BYTES;
}

function unlessRefused<Value>(value: Value, refusal: PolicyRefusal): Step<Value> {
  return refusal === null ? succeed(value) : fail("refused_by_policy", "fetch", refusal);
}

/** Restores the project's state from before the run. */
async function undo(scope: RunScope, previous: number | null, progress: Progress): Promise<void> {
  const { order, folder, context } = scope;
  await discardNextJobs(folder);
  await discardNextPlace(folder);
  if (progress.activates !== null) {
    await switchBack(scope, progress.activates, previous);
    await switchTrafficBack(scope, previous);
  }
  // Only now, because requests may have reached them until the switch back.
  if (progress.rollout !== null) await revertRollout(context, folder, progress.rollout);
  if (progress.activates !== null) {
    // Before the previous release is activated: it may need a resource that these processes hold, such as a port.
    const trace = traceOfRun(folder, order.run_id, progress.isBuilding ? order.version : null);
    await endRelease(scope, progress.activates, trace);
    await reactivate(scope, previous, order.timeouts.activate_seconds);
  }
  if (progress.isBuilding) await removeUnfinished(scope);
}
