import { HEALTH_CHECK_AGENT } from "#agent/lib/http/health-check-agent.ts";
import { type HttpAnswer, sendRequest } from "#agent/lib/http/send-request.ts";
import { pause } from "#contract/lib/pause.ts";
import type { IngressTarget } from "#agent/ingress/ingress.ts";
import { readSite } from "#agent/ingress/site-file.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { startLimit } from "#agent/run/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/run/step/step.ts";
import { type LiveEvidence, MAX_HEALTH_BODY } from "#contract/endpoints/deployments/schemas.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { maskUrlSecret } from "#contract/git-names.ts";
import type { HealthCheck } from "#contract/endpoints/projects/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

/** The URL of a health check, and its Host header or socket when those differ from the URL's. */
export type CheckTarget = { readonly url: URL; readonly host: string | null; readonly socketPath?: string };

/**
 * @param siteUrl where the site server serves the release; `null` when it does not
 * @param ingress where this server's ingress serves the path at the domain; `null` when it does not
 */
export function decideTarget(
  check: Pick<HealthCheck, "path" | "url">,
  siteUrl: string | null,
  domain: string,
  ingress: IngressTarget | null,
): CheckTarget {
  if (check.url !== undefined) return { url: new URL(check.url), host: null };
  if (ingress !== null) return { ...ingress, host: null };
  const path = check.path ?? "/";
  if (siteUrl !== null) return { url: new URL(`${siteUrl}${path}`), host: null };
  return { url: new URL(`http://127.0.0.1${path}`), host: domain };
}

/** `aborted`: the stage's time ended without an answer. */
type Tried = HttpAnswer | { readonly kind: "none" };

/**
 * Requests the health check until it answers with the expected status. @returns the evidence; `null` when there is no
 * check
 */
export async function verifyRelease(
  scope: RunScope,
  release: Pick<Release, "published">,
): Promise<Step<LiveEvidence["health_check"]>> {
  const { order, journal, reporter, log } = scope;
  const check = order.health_check;
  journal.record({ stage: "verify" });
  reporter.report({ type: "stage", stage: "verify" }, check === null ? "patient" : "urgent");
  if (check === null) return succeed(null);

  const siteUrl = release.published === false ? null : scope.context.sites.urlOf(order.project_id);
  const site = await readSite(scope.folder);
  const ingress =
    site.kind === "site" ? scope.context.ingress.targetOf(order.domain, check.path ?? "/") : null;
  const target = decideTarget(check, siteUrl, order.domain, ingress);
  const shown = maskUrlSecret(target.url.href);
  const limit = startLimit(order.timeouts.verify_seconds, scope.interrupt);
  log.system("verify", `requesting ${shown}, expecting ${check.status}, up to ${check.tries} times`);
  let best: Tried = { kind: "none" };
  let tries = 0;
  while (tries < check.tries && !limit.signal.aborted) {
    if (tries > 0) await pause(check.interval_seconds * 1000, limit.signal);
    if (limit.signal.aborted) break;
    tries += 1;
    const tried = await tryOnce(target, check.timeout_seconds * 1000, limit.signal);
    if (tried.kind === "answered" && tried.status === check.status) {
      limit.clear();
      log.system("verify", `try ${tries}: ${tried.status}, as expected`);
      return succeed({ url: shown, status: tried.status, tries });
    }
    if (scope.interrupt.signal.aborted) break;
    log.system("verify", `try ${tries}: ${describe(tried)}`);
    if (specificity[tried.kind] >= specificity[best.kind]) best = tried;
  }
  limit.clear();
  if (scope.interrupt.signal.aborted) return interrupted;
  const after = limit.hasTimedOut ? `within ${limit.seconds} seconds` : `in ${tries} tries`;
  const message = `${shown} did not answer ${check.status} ${after}: ${describe(best)}`;
  switch (best.kind) {
    case "answered": {
      const isCut = Buffer.byteLength(best.body) >= MAX_HEALTH_BODY;
      const evidence = { health_status: best.status, health_body: scope.mask(best.body, isCut) };
      return fail("health_check_failed", "verify", message, evidence);
    }
    case "failed":
      return fail("health_check_failed", "verify", message, { health_status: null });
    case "hung":
    case "aborted":
    case "none":
      return fail("timed_out", "verify", message);
  }
}

function tryOnce(target: CheckTarget, timeoutMs: number, signal: AbortSignal): Promise<HttpAnswer> {
  return sendRequest({
    url: target.url,
    method: "GET",
    headers: {
      "user-agent": HEALTH_CHECK_AGENT,
      ...(target.host === null ? {} : { host: target.host }),
    },
    ...(target.socketPath === undefined ? {} : { socketPath: target.socketPath }),
    timeoutMs,
    maxBodyBytes: MAX_HEALTH_BODY,
    signal,
    fresh: true,
  });
}

/** How much a try says about the problem. */
const specificity = { none: 0, hung: 1, aborted: 1, failed: 2, answered: 3 } as const;

function describe(tried: Tried): string {
  switch (tried.kind) {
    case "none":
      return "it was never requested";
    case "hung":
    case "aborted":
      return "no answer in time";
    case "failed":
      return `no answer: ${tried.reason}`;
    case "answered":
      return `it answered ${tried.status}`;
  }
}
