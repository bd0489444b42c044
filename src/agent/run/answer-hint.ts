import { stripVTControlCharacters } from "node:util";

import type { Tried } from "#agent/lib/http/check-health.ts";

/** What frameworks answer or print when they refuse a request for its Host header, and the setting that allows a host. */
const hostRefusals: readonly (readonly [pattern: RegExp, setting: string])[] = [
  [/Blocked hosts?: /, "config.hosts"],
  [/Invalid HTTP_HOST header|DisallowedHost|<title>Bad Request \(400\)<\/title>/, "ALLOWED_HOSTS"],
  [/Blocked request\. This host \(.{0,300}\) is not allowed/, "preview.allowedHosts"],
  [/Invalid Host header/, "its allowed hosts"],
];

/**
 * What to do about an app that answered its health check with another status.
 * @param domain the host that the check asked for
 * @param output the last lines of the app's output
 */
export function answerHint(tried: Tried, domain: string, output = ""): string | null {
  if (tried.kind !== "answered") return null;
  const { status, headers, body } = tried;
  if (status >= 300 && status <= 399) {
    if (headers.location === undefined || !/^https:/i.test(headers.location)) return null;
    return "The app redirects the check to HTTPS. Let it trust the header X-Forwarded-Proto of the ingress, or leave the check's path out of the redirect.";
  }
  if (status !== 400 && status !== 403) return null;
  const said = `${body}\n${stripVTControlCharacters(output)}`;
  const setting = hostRefusals.find(([pattern]) => pattern.test(said))?.[1];
  if (setting === undefined) return null;
  return `The app refuses requests for the host ${domain}. Add the project's domain and its aliases to ${setting}.`;
}
