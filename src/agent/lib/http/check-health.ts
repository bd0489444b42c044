import { HEALTH_CHECK_AGENT } from "#agent/lib/http/health-check-agent.ts";
import { type HttpAnswer, sendRequest } from "#agent/lib/http/send-request.ts";
import { MAX_HEALTH_BODY } from "#contract/endpoints/deployments/schemas.ts";
import type { HealthCheck } from "#contract/endpoints/projects/settings.ts";
import { pause } from "#contract/lib/pause.ts";

/**
 * Where to send a check: `host` is the Host header when it differs from the URL, `socketPath` the unix socket to send over.
 * `asHttps`: an app is asked as the ingress asks it for visitors. Otherwise many redirect to HTTPS.
 */
export type CheckTarget = {
  readonly url: URL;
  readonly host: string | null;
  readonly socketPath?: string;
  readonly asHttps?: true;
};

/** `none`: it was never requested. */
export type HealthCheckTry = HttpAnswer | { readonly kind: "none" };

/** `best`: the try that says most about the problem. */
export type HealthCheckResult =
  | { readonly ok: true; readonly status: number; readonly tries: number }
  | { readonly ok: false; readonly best: HealthCheckTry; readonly tries: number };

/**
 * Requests a health check until it answers with the expected status, as often as the check says.
 * @param onTry called after each try that did not succeed
 */
export async function checkHealth(
  target: CheckTarget,
  check: HealthCheck,
  signal: AbortSignal,
  onTry: (tries: number, tried: HealthCheckTry) => void,
): Promise<HealthCheckResult> {
  let best: HealthCheckTry = { kind: "none" };
  let tries = 0;
  while (tries < check.tries && !signal.aborted) {
    if (tries > 0) await pause(check.interval_seconds * 1000, signal);
    if (signal.aborted) break;
    tries += 1;
    const tried = await tryOnce(target, check.timeout_seconds * 1000, signal);
    if (tried.kind === "answered" && tried.status === check.status)
      return { ok: true, status: tried.status, tries };
    onTry(tries, tried);
    if (specificity[tried.kind] >= specificity[best.kind]) best = tried;
  }
  return { ok: false, best, tries };
}

function tryOnce(
  { url, host, socketPath, asHttps }: CheckTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return sendRequest({
    url,
    method: "GET",
    headers: {
      "user-agent": HEALTH_CHECK_AGENT,
      ...(host === null ? {} : { host }),
      ...(asHttps === true ? { "x-forwarded-proto": "https" } : {}),
    },
    ...(socketPath === undefined ? {} : { socketPath }),
    timeoutMs,
    maxBodyBytes: MAX_HEALTH_BODY,
    signal,
    fresh: true,
  });
}

/** How much a try says about the problem. */
const specificity = { none: 0, hung: 1, aborted: 1, failed: 2, answered: 3 } as const;

/** The part of an answer that a failure stores. @param mask hides secrets; `isCut`: the text may end within one */
export function answerEvidence(
  { status, body }: Extract<HealthCheckTry, { kind: "answered" }>,
  mask: (text: string, isCut: boolean) => string,
): { readonly health_status: number; readonly health_body: string } {
  const isCut = Buffer.byteLength(body) >= MAX_HEALTH_BODY;
  return { health_status: status, health_body: mask(body, isCut) };
}

/** Describes a try that did not succeed, to be used within a sentence. */
export function describeTry(tried: HealthCheckTry): string {
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
