import { type Result, stop } from "#cli/outcome.ts";
import { isOpenToOthers } from "#contract/loopback.ts";
import { succeed } from "#contract/lib/result.ts";

/** Normalises an installation's URL for storage and comparison: with a scheme, without a trailing slash. */
export function installationUrl(text: string): Result<string> {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "")
    return stop("usage", `${text} is not an installation URL such as https://gantry.example.com.`);
  return succeed(`${url.origin}${url.pathname.replace(/\/+$/, "")}`);
}

/** As `installationUrl`, for a URL that a token is sent to. Refuses plain HTTP, except to this machine. */
export function tokenUrl(text: string): Result<string> {
  const url = installationUrl(text);
  if (!url.ok || !isOpenToOthers(new URL(url.value))) return url;
  return stop("usage", `${url.value} is plain HTTP, which does not protect the token. Use https://.`);
}
