import { isApp } from "#agent/apps/desired.ts";
import { webAddresses } from "#agent/apps/lead-traffic.ts";
import type { Rollout } from "#agent/apps/rollout.ts";
import type { IngressTarget } from "#agent/ingress/ingress.ts";
import { readSite } from "#agent/ingress/site-file.ts";
import { servesDomain } from "#agent/workspace/place.ts";
import { answerHint } from "#agent/run/answer-hint.ts";
import { answerEvidence, checkHealth, type CheckTarget, describeTry } from "#agent/lib/http/check-health.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import type { LiveEvidence } from "#contract/endpoints/deployments/schemas.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { maskUrlSecret } from "#contract/git-names.ts";
import type { HealthCheck } from "#contract/endpoints/projects/settings.ts";
import { succeed } from "#contract/lib/result.ts";
import { counted } from "#contract/lib/counted.ts";

/** What answers for a project on this server. */
type Fronts = {
  /** Where to send requests to the ingress, if the agent configures it. */
  readonly ingress: IngressTarget | null;
  /** Where the site server serves the release; `null` when it does not. */
  readonly siteUrl: string | null;
  /** The address of an instance; `null` for a project whose domain leads to files. */
  readonly address: string | null;
};

/** Chooses where to send the check: to the server that is nearest to the visitors. */
export function decideTarget(
  check: Pick<HealthCheck, "path" | "url">,
  { ingress, siteUrl, address }: Fronts,
  domain: string,
): CheckTarget {
  if (check.url !== undefined) return { url: new URL(check.url), host: null };
  if (ingress !== null) return { ...ingress, host: null };
  const path = check.path ?? "/";
  if (siteUrl !== null) return { url: new URL(`${siteUrl}${path}`), host: address === null ? null : domain };
  if (address !== null) return { url: new URL(`http://${address}${path}`), host: domain, asHttps: true };
  return { url: new URL(`http://127.0.0.1${path}`), host: domain };
}

/**
 * Requests the health check until it answers with the expected status. @returns the evidence; `null` when there is no
 * check, the app is stopped and answers nobody, or other servers serve the domain
 */
export async function verifyRelease(
  scope: RunScope,
  release: Pick<Release, "published">,
  rollout: Rollout | null,
): Promise<Step<LiveEvidence["health_check"]>> {
  const { order, journal, reporter, log } = scope;
  const check = order.health_check;
  journal.record({ stage: "verify" });
  reporter.report({ type: "stage", stage: "verify" }, check === null ? "patient" : "urgent");
  if (check === null) return succeed(null);

  if (!servesDomain(order.place ?? null)) {
    log.system("verify", `nothing to check: other servers serve ${order.domain}`);
    return succeed(null);
  }
  const { context, folder } = scope;
  const [address = null] = webAddresses(folder, rollout?.next ?? null);
  if (rollout !== null && isApp(rollout.next) && address === null) {
    log.system("verify", "nothing to check: the process web has no instances");
    return succeed(null);
  }
  // An app that its activate command starts answers at a port that only its check knows.
  const isServed = release.published !== false || address !== null;
  const siteUrl = isServed ? context.sites.urlOf(order.project_id) : null;
  const site = await readSite(folder);
  const ingress = site.kind === "site" ? context.ingress.targetOf(order.domain, check.path ?? "/") : null;
  const target = decideTarget(check, { ingress, siteUrl, address }, order.domain);
  const shown = maskUrlSecret(target.url.href);
  const limit = startLimit(order.timeouts.verify_seconds, scope.interrupt);
  log.system(
    "verify",
    `requesting ${shown}, expecting ${check.status}, up to ${counted(check.tries, "time")}`,
  );
  const checked = await checkHealth(target, check, limit.signal, (tries, tried) => {
    if (!scope.interrupt.signal.aborted) log.system("verify", `try ${tries}: ${describeTry(tried)}`);
  });
  limit.clear();
  if (checked.ok) {
    log.system("verify", `try ${checked.tries}: ${checked.status}, as expected`);
    return succeed({ url: shown, status: checked.status, tries: checked.tries });
  }
  if (scope.interrupt.signal.aborted) return interrupted;
  const { best, tries } = checked;
  const after = limit.hasTimedOut
    ? `within ${counted(limit.seconds, "second")}`
    : `in ${counted(tries, "try", "tries")}`;
  const message = `${shown} did not answer ${check.status} ${after}: ${describeTry(best)}`;
  switch (best.kind) {
    case "answered": {
      const evidence = answerEvidence(best, scope.mask);
      return fail("health_check_failed", "verify", message, evidence, answerHint(best, order.domain));
    }
    case "failed":
      return fail("health_check_failed", "verify", message, { health_status: null });
    case "hung":
    case "aborted":
    case "none":
      return fail("timed_out", "verify", message);
  }
}
