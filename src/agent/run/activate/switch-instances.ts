import { isApp, requireDesired } from "#agent/apps/desired.ts";
import { type EndedInstance, findEnded } from "#agent/apps/await-instance.ts";
import { endsOf } from "#agent/apps/crash-history.ts";
import { leadTraffic } from "#agent/apps/lead-traffic.ts";
import { planSite, publishSite, type SiteNames, type SitePlan } from "#agent/apps/publish-site.ts";
import { type Rollout, startPlanned } from "#agent/apps/rollout.ts";
import { requirePlace } from "#agent/workspace/live-place.ts";
import { servesDomain } from "#agent/workspace/place.ts";
import { ingressProblemOf, hasIngress } from "#agent/ingress/has-ingress.ts";
import { stopInstance } from "#agent/apps/stop-instance.ts";
import { endedFailure } from "#agent/run/start/start-failure.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { fail, failWith, interrupted, type Step } from "#agent/step/step.ts";
import { readRelease } from "#agent/workspace/releases.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { restoreSiteBefore } from "#agent/ingress/site-file.ts";
import { pause } from "#contract/lib/pause.ts";

/** Leads the project's domain to the new instances, or to the release's files if it has none, or nowhere. */
export async function switchTraffic(
  { context, folder, order, log }: RunScope,
  site: SitePlan,
  rollout: Rollout | null,
): Promise<void> {
  const next = rollout?.next ?? null;
  if (next !== null) {
    context.apps.of(folder.id).isSwitching = true;
    await leadTraffic(context, folder, next);
    const web = next.instances.filter(({ process }) => process === WEB).map(({ name }) => name);
    if (web.length > 0)
      log.system("activate", `switched ${hasIngress(context) ? `${order.domain} ` : ""}to ${web.join(", ")}`);
    else if (isApp(next)) log.system("activate", `${order.domain} is stopped: it has no instances`);
  }
  await publishSite(context, folder, site, siteNames(order));
  // A refusal fails the deployment.
  const problem =
    context.ingress.problemOf(folder.id) ?? ingressProblemOf(context, next !== null && isApp(next));
  if (problem !== null && context.ingress.refusalOf(folder.id) === null)
    log.system("activate", `warning: ${problem}`);
}

/** The host names that an order gives its project. */
export function siteNames({ domain, aliases }: Pick<RunOrder, "domain" | "aliases">): SiteNames {
  return { domain, aliases: [...aliases] };
}

/**
 * Leads the domain back to the earlier instances or files, after a failed switch. Never throws: on a full disk, the
 * other steps of the reversal free space, and the next check of the project's instances writes the slots.
 * @param previous the release that was served before
 */
export async function switchTrafficBack(
  { context, folder }: Pick<RunScope, "context" | "folder">,
  previous: number | null,
): Promise<void> {
  try {
    const desired = requireDesired(folder);
    await restoreSiteBefore(folder);
    await leadTraffic(context, folder, desired);
    const release = previous === null ? null : await readRelease(folder, previous);
    const isServed = servesDomain(requirePlace(folder));
    const site = planSite(release, { isServed, isApp: desired !== null && isApp(desired) });
    await publishSite(context, folder, site, null);
  } catch (error) {
    context.log(`${folder.id}: its domain could not be led back yet: ${messageOf(error)}`);
  }
}

/**
 * Starts the new instances without a port, after the switch: an earlier release must not get the jobs of a later one. The
 * old ones of a process without overlap end before.
 */
export async function startWorkers(scope: RunScope, rollout: Rollout | null): Promise<Step<null>> {
  const { context, folder, log } = scope;
  if (rollout === null) return succeed(null);
  const alone = new Set(rollout.next.processes.filter(({ overlap }) => !overlap).map(({ name }) => name));
  const workers = rollout.plan.started.filter(({ process }) => !process.port);
  const replaced = new Set(rollout.next.replaced);
  for (const { name, process } of rollout.before?.instances ?? []) {
    if (!replaced.has(name) || !alone.has(process)) continue;
    log.system("activate", `stopping ${name} before its replacement starts`);
    // Otherwise the next check would start it again, because it must run until the verdict.
    context.apps.of(folder.id).claimed.add(name);
    const stopped = await stopInstance(context, folder.id, name);
    if (!stopped.ok) return fail("start_failed", "activate", `${name} cannot be stopped: ${stopped.reason}`);
  }
  for (const worker of workers) {
    log.system("activate", `starting ${worker.name}`);
    const started = await startPlanned(context, folder, rollout, worker);
    if (scope.interrupt.signal.aborted) return interrupted;
    if (!started.ok)
      return fail(
        "start_failed",
        "activate",
        scope.mask(`${worker.name} cannot be started: ${started.reason}`),
      );
  }
  return succeed(null);
}

const SETTLE_POLL_MS = 100;

/** Checks before the verdict that the new instances still run. Instances without a port must run for a moment first. */
export async function checkInstances(scope: RunScope, rollout: Rollout | null): Promise<Step<null>> {
  if (rollout === null) return succeed(null);
  const { context, folder, interrupt } = scope;
  const workers = namesOf(rollout, false);
  const { clock, settings } = context;
  const until = clock.monotonic() + (workers.length === 0 ? 0 : settings.settleMs);
  while (true) {
    const ended =
      (await endedSinceReady(scope, rollout)) ?? (await findEnded(context.supervisor, folder.id, workers, 1));
    if (ended !== null) return failEnded(scope, rollout, ended);
    if (interrupt.signal.aborted) return interrupted;
    if (clock.monotonic() >= until) return succeed(null);
    await pause(SETTLE_POLL_MS, interrupt.signal);
  }
}

/** A new instance that has ended by itself after it had passed its check. Counted, because the clock may be set meanwhile. */
async function endedSinceReady(
  { context, folder }: RunScope,
  rollout: Rollout,
): Promise<EndedInstance | null> {
  const { restartsWhenReady } = rollout;
  if (restartsWhenReady === null) return null;
  const listed = await context.supervisor.list(folder.id);
  if (!listed.ok) return null;
  const names = namesOf(rollout, true);
  const ended = listed.value.find(
    (one) => names.includes(one.name) && endsOf(one) > (restartsWhenReady.get(one.name) ?? 0),
  );
  return ended === undefined ? null : { name: ended.name, exit: ended.lastExit };
}

/** The new instances with or without a port. */
function namesOf({ plan }: Rollout, withPort: boolean): readonly string[] {
  return plan.started.filter(({ process }) => process.port === withPort).map(({ name }) => name);
}

async function failEnded(scope: RunScope, rollout: Rollout, ended: EndedInstance): Promise<Step<never>> {
  const failure = await endedFailure(scope, "verify", rollout, ended);
  scope.log.system("verify", failure.message);
  return failWith(failure);
}
