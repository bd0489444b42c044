import { isApp, prepareDesired } from "#agent/apps/desired.ts";
import { commandInRelease } from "#agent/apps/command-in-release.ts";
import { prepareJobs } from "#agent/workspace/live-jobs.ts";
import { planSite } from "#agent/apps/publish-site.ts";
import type { Rollout } from "#agent/apps/rollout.ts";
import { keepSiteBefore } from "#agent/ingress/site-file.ts";
import { siteNames, startWorkers, switchTraffic } from "#agent/run/activate/switch-instances.ts";
import { describeRulesBack } from "#agent/run/activate/describe-rules.ts";
import { preparePlace } from "#agent/workspace/live-place.ts";
import { servesDomain } from "#agent/workspace/place.ts";
import { unitLimits } from "#agent/policy/unit-limits.ts";
import { checkActivateCommand } from "#agent/policy/check-commands.ts";
import { type CommandEnd, describeEnd } from "#build/failure/command-failure.ts";
import { runCommand, stepAfterCommand } from "#agent/step/run-command.ts";
import type { CommandScope, RunScope } from "#agent/step/run-scope.ts";
import { startLimit, type StageLimit } from "#agent/step/stage-limit.ts";
import type { OpenVariables } from "#agent/secrets/open-variables.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { linkTarget, prepareSwitchBack, switchCurrent } from "#agent/workspace/current-link.ts";
import { readRelease, type Release } from "#agent/workspace/releases.ts";
import { flushFolder } from "#node/write-atomic.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Switches `current` to the release and the domain to its instances, and runs its activate command. A failure leaves them
 * switched; the caller switches back.
 */
export async function activateRelease(
  scope: RunScope,
  release: Release,
  previous: number | null,
  rollout: Rollout | null,
): Promise<Step<null>> {
  const { order, folder, journal, reporter, log } = scope;
  await prepareSwitchBack(folder, previous);
  const before =
    order.reuse_release === null || previous === null ? null : await readRelease(folder, previous);
  const rules = describeRulesBack(release, before);
  if (rollout !== null) await prepareDesired(folder, rollout.next);
  const { cron: settings, run_id: runId, place = null } = order;
  await preparePlace(folder, place, runId);
  await prepareJobs(folder, release, { place, settings, runId, now: scope.context.clock.now() });
  const isServed = servesDomain(place);
  const site = planSite(release, { isServed, isApp: rollout !== null && isApp(rollout.next) });
  await keepSiteBefore(folder, site.kind === "nothing" ? null : siteNames(order));
  // Recorded before the switch, so that recovery can switch back after a crash.
  journal.record({ stage: "activate", phase: { kind: "switching", previous } });
  reporter.report(
    { type: "stage", stage: "activate" },
    release.activate_command === null ? "patient" : "urgent",
  );
  await switchCurrent(folder, release.version);
  await flushFolder(folder.root);
  const from = previous === null ? "" : ` from ${linkTarget(previous)}`;
  // A deployment of the kind `config` has the release that is live.
  if (previous !== release.version)
    log.system("activate", `switched current${from} to ${linkTarget(release.version)}`);
  if (rules !== null) log.system("activate", rules);
  const sites = scope.context.sites;
  // The site server follows `current` by itself, so only a site that is not served yet is registered.
  if (isServed && sites.urlOf(order.project_id) === null) await sites.register(order.project_id, folder.root);
  await switchTraffic(scope, site, rollout);
  const refusal = scope.context.ingress.refusalOf(order.project_id);
  if (refusal !== null) return fail("activate_failed", "activate", refusal);
  const workers = await startWorkers(scope, rollout);
  if (!workers.ok) return workers;

  const limit = startLimit(order.timeouts.activate_seconds, scope.interrupt);
  const ran = await runActivateCommand(scope, release, scope.variables.activate, limit);
  limit.clear();
  return ran === null ? succeed(null) : stepAfterCommand(scope, "activate", ran, limit);
}

/**
 * Runs the release's activate command. Processes that it starts in the background may stay: restarting an app's
 * server is its purpose.
 * @returns `null` when the release has no such command
 */
export async function runActivateCommand(
  scope: CommandScope,
  release: Release,
  variables: OpenVariables["activate"],
  limit: StageLimit,
): Promise<CommandEnd | null> {
  if (release.activate_command === null) return null;
  const { context, log } = scope;
  // Refused only when switching back to a release that is older than the policy.
  const refusal = checkActivateCommand(context.policy, release.activate_command);
  if (refusal !== null) {
    log.system("activate", refusal);
    return null;
  }
  log.system("activate", `running ${release.activate_command}`);
  const startedAt = context.clock.monotonic();
  const { activate_command: line } = release;
  const command = await commandInRelease(context, scope.folder, release, line, scope.marker, variables);
  if (!command.ok)
    return { end: { kind: "not_started", message: command.reason }, stderrTail: "", outputTail: "" };
  const ran = await runCommand(scope, command.value, {
    stage: "activate",
    signal: limit.signal,
    leftovers: { keepAs: String(release.version) },
    stdout: "log",
    unit: {
      kind: "command",
      version: release.version,
      limits: unitLimits("command", scope.limits ?? release.limits ?? {}, context.policy),
    },
  });
  const ms = Math.round(context.clock.monotonic() - startedAt);
  log.system("activate", `the activate command ${describeEnd(ran.end)} (${ms} ms)`);
  return ran;
}
