import { type Result, stop } from "#cli/outcome.ts";
import { isOpenToOthers } from "#contract/loopback.ts";
import { succeed } from "#contract/lib/result.ts";

/** An installation's address in the one form by which it is kept and compared: without a slash at its end. */
export function installationUrl(text: string): Result<string> {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "")
    return stop("usage", `${text} is no address of an installation, such as https://gantry.example.com.`);
  return succeed(`${url.origin}${url.pathname.replace(/\/+$/, "")}`);
}

/** The same, of an installation that a token is sent to: not over plain HTTP, where others can read it. */
export function tokenUrl(text: string): Result<string> {
  const url = installationUrl(text);
  if (!url.ok || !isOpenToOthers(new URL(url.value))) return url;
  return stop(
    "usage",
    `${url.value} is plain HTTP, where others on the way can read the token. Use https://.`,
  );
}
