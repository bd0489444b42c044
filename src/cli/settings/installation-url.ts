import { type Found, found, stop } from "#cli/outcome.ts";

/** An installation's address in the one form by which it is kept and compared: without a slash at its end. */
export function installationUrl(text: string): Found<string> {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "")
    return stop("usage", `${text} is no address of an installation, such as https://gantry.example.com.`);
  return found(`${url.origin}${url.pathname.replace(/\/+$/, "")}`);
}

/** Whether a token would cross a network that others can read. */
export function isOpenToOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
