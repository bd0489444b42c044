import { parseJson } from "#contract/parse-json.ts";
import { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";

/** The URL of an endpoint, below the control plane's own URL, which may have a path. */
export function endpointUrl(base: string, path: string, params: Readonly<Record<string, string>> = {}): URL {
  const filled = path.replace(/:(\w+)/g, (whole, name: string) => encodeURIComponent(params[name] ?? whole));
  return new URL(`${base.replace(/\/+$/, "")}${filled}`);
}

/** Whether an error body is a problem of the control plane, not a page of a proxy or a firewall in front of it. */
export function isProblem(body: string): boolean {
  return parseKnown(Problem, parseJson(body)).success;
}

/** Explains why the agent sends no secret to a plain HTTP address. */
export function plainHttp(url: string): string {
  return `${url} is plain HTTP: others on the network could read the credential and change orders. Use https://`;
}

/** The longest wait: a run that reports nothing for longer counts as lost. */
const MAX_SECONDS = 60;

/**
 * The wait that a Retry-After header asks for, in milliseconds; 0 without the header. Only the form in seconds is
 * supported.
 */
export function retryAfterMs(header: string | undefined): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_SECONDS) * 1000 : 0;
}
