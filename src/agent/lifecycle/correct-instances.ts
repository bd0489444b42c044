import { awaitRollout, silentLog } from "#agent/apps/await-rollout.ts";
import { commitDesired, isApp, prepareDesired, requireDesired } from "#agent/apps/desired.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import { commitJobs, prepareJobs, readLiveJobs } from "#agent/workspace/live-jobs.ts";
import { leadTraffic } from "#agent/apps/lead-traffic.ts";
import { planSite, publishSite } from "#agent/apps/publish-site.ts";
import { planRollout, revertRollout, type Rollout, startPlanned } from "#agent/apps/rollout.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { requirePlace } from "#agent/workspace/live-place.ts";
import { processesHere, servesDomain } from "#agent/workspace/place.ts";
import { checkProcesses } from "#agent/policy/check-commands.ts";
import { checkVariables } from "#agent/policy/check-variables.ts";
import { openReleaseVariables } from "#agent/secrets/open-variables.ts";
import { readReleaseVariables } from "#agent/secrets/release-variables.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { DEFAULT_DRAIN_SECONDS } from "#contract/endpoints/processes/schemas.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { defaultTimeouts } from "#contract/stages.ts";

type Corrected = ResultOf<Rollout | null, { readonly reason: string }>;

/**
 * Starts the instances of a release that should be live, with the variables that it was last live with, and the settings
 * and the part of the project that are live now.
 * @returns `null` if the project has no processes and had none
 */
export async function startCorrected(
  context: AgentContext,
  folder: ProjectFolder,
  release: Release,
): Promise<Corrected> {
  const opened = await openReleaseVariables(folder, context.sealKey, folder.id, release.version);
  if (!opened.ok) return { ok: false, reason: opened.message };
  const before = requireDesired(folder);
  const place = requirePlace(folder);
  const settings = before?.settings ?? {};
  const processes = processesHere(place, release.processes ?? {}, settings);
  const variables = (await readReleaseVariables(folder, release.version)) ?? undefined;
  const refusal =
    checkProcesses(context.policy, processes, release.processes ?? {}) ??
    checkVariables(context.policy, variables);
  if (refusal !== null) return { ok: false, reason: refusal };
  const planned = await planRollout(context, folder, {
    runId: null,
    version: release.version,
    release,
    place,
    settings,
    restart: [],
    drainSeconds: before?.drain_seconds ?? DEFAULT_DRAIN_SECONDS,
    domain: before?.domain ?? "",
    healthCheck: before?.health_check ?? null,
    variables,
    environment: opened.value.activate,
  });
  if (!planned.ok || planned.value === null) return planned;
  const rollout = planned.value;
  const problem = await start(context, folder, rollout);
  if (problem === null) return planned;
  await revertRollout(context, folder, rollout);
  return { ok: false, reason: problem };
}

/** @returns the end of a sentence with why an instance does not start; `null` if all do */
async function start(context: AgentContext, folder: ProjectFolder, rollout: Rollout): Promise<string | null> {
  const notes: InstanceNote[] = [];
  for (const one of rollout.plan.started) {
    const started = await startPlanned(context, folder, rollout, one);
    if (!started.ok) return `${one.name} cannot be started: ${started.reason}`;
    notes.push(started.value);
  }
  const limit = AbortSignal.timeout(defaultTimeouts.start_seconds * 1000);
  const failed = await awaitRollout(context, folder.id, rollout, notes, limit, silentLog);
  if (failed === null) return null;
  return `${failed.name} ${failed.kind === "ended" ? "ended by itself" : "did not become ready"}`;
}

/** Leads the domain to the corrected release's instances or files, and makes them what must run. */
export async function keepCorrected(
  context: AgentContext,
  folder: ProjectFolder,
  release: Release,
  rollout: Rollout | null,
): Promise<void> {
  const next = rollout?.next ?? null;
  if (next !== null) {
    await prepareDesired(folder, next);
    context.apps.of(folder.id).isSwitching = true;
    await leadTraffic(context, folder, next);
  }
  const place = requirePlace(folder);
  const settings = readLiveJobs(folder)?.settings ?? [];
  await prepareJobs(folder, release, { place, settings, runId: null, now: context.clock.now() });
  const site = planSite(release, { isServed: servesDomain(place), isApp: next !== null && isApp(next) });
  await publishSite(context, folder, site, null);
  await commitDesired(folder);
  await commitJobs(folder);
}
