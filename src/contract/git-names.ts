import * as z from "zod/mini";

import { textBetween, textLike } from "#contract/bounds.ts";

// Both the API (422) and the agent parse with these, so a hostile control plane gets no further than a hostile client.

const CONTROL = /\p{Cc}/u;

/** Source: git-check-ref-format(1), plus no leading dash, so that a name can never be read as an option. */
function isBranchName(name: string): boolean {
  if (CONTROL.test(name) || /[ ~^:?*[\\]/.test(name)) return false;
  if (
    name.startsWith("-") ||
    name.startsWith("/") ||
    name.endsWith("/") ||
    name.endsWith(".") ||
    name === "@"
  )
    return false;
  if (name.includes("..") || name.includes("@{") || name.includes("//")) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** A branch or tag name, without `refs/heads/`. */
export const BranchName = textBetween(1, 244).check(
  z.refine(isBranchName, "must be a valid git branch or tag name"),
);

/** A full or abbreviated commit hash, 7 characters or more. */
export const CommitName = textLike(
  /^(?:[0-9a-fA-F]{7,40}|[0-9a-fA-F]{64})$/,
  "must be 7 to 40 hexadecimal digits of a commit hash",
);

/** A whole commit hash as git prints it: SHA-1 or SHA-256. */
export const CommitSha = textLike(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

function isRepository(text: string): boolean {
  if (CONTROL.test(text) || /\s/.test(text)) return false;
  if (text.startsWith("/")) return isCleanPath(text.slice(1));
  if (text.startsWith("file:///")) return isCleanPath(text.slice("file:///".length));
  if (/^(https|ssh):\/\//.test(text))
    return /^(?:https|ssh):\/\/(?:[^@/]*@)?[a-zA-Z0-9[][^/@]*\/[^-].*$/.test(text);
  // The short form of ssh, user@host:path. `ext::…` and `fd::…` would run a command, so a second colon is refused.
  return /^[a-zA-Z0-9_][\w.-]*@[a-zA-Z0-9][a-zA-Z0-9.-]*:[^-:][^:]*$/.test(text);
}

function isCleanPath(path: string): boolean {
  return (
    path !== "" &&
    !CONTROL.test(path) &&
    path.split("/").every((part) => part !== ".." && !part.startsWith("-"))
  );
}

/** Where git fetches from: https, ssh (both forms), `file://`, or an absolute path on the server. */
export const Repository = textBetween(1, 2048).check(
  z.refine(
    isRepository,
    "must be an https or ssh URL, user@host:path, file:///path or an absolute path, without spaces or `..`",
  ),
);

function isInsidePath(path: string): boolean {
  if (path.startsWith("/") || path.includes("\\")) return false;
  return isCleanPath(path) && path.split("/").every((part) => part !== "" && part !== ".git");
}

/** A path inside a release, relative, without `..`; `.` is the release itself. */
export const InsidePath = textBetween(1, 1024).check(
  z.refine((path) => path === "." || isInsidePath(path), "must be a relative path inside the repository"),
);

/** A path inside a release that a link can replace, so never the release itself. */
export const SharedPath = textBetween(1, 1024).check(
  z.refine((path) => path !== "." && isInsidePath(path), "must be a relative path inside the repository"),
);

/**
 * Hides the password of a URL: it may stand in a setting, but is never shown again. Of the scheme only the last letter is
 * looked at: to look for its beginning takes the square of the time in a long text, and a build can write any.
 */
export function maskUrlPassword(text: string): string {
  return text.replace(/([a-z0-9+.-]:\/\/[^\s:@/]*):[^\s@/]+@/gi, "$1:***@");
}

/** Shorter user names are names: to hide them would help nobody. */
const SHORTEST_USER_TOKEN = 16;
const USER_TOKEN = new RegExp(`^(https?://)[^\\s:@/]{${SHORTEST_USER_TOKEN},}@`, "i");

/**
 * A URL that is a setting, as it is shown: without its password, without a long user name that has none, which is how
 * access tokens are often written, and without the values of its query, which is where other tokens are.
 */
export function maskUrlSecret(url: string): string {
  const masked = maskUrlPassword(url).replace(USER_TOKEN, "$1***@");
  return /^https?:/i.test(masked) ? maskQuery(masked) : masked;
}

/** An http address or its path with `***` for each value of its query, and for what stands there without a name. */
export function maskQuery(address: string): string {
  return partsOfQuery(address)
    .map(([name, value]) => `${name}${value === "" ? "" : "***"}`)
    .reduce((masked, part) => masked + part, address.slice(0, queryStart(address)))
    .concat(address.slice(queryEnd(address)));
}

/** The values of a query, each with what stands before it: `?name=`, or `?` where it has no name. */
export function partsOfQuery(address: string): readonly (readonly [before: string, value: string])[] {
  const parts = address.slice(queryStart(address), queryEnd(address)).match(/[?&][^&]*/g) ?? [];
  return parts.map((part) => {
    const at = part.indexOf("=") + 1 || 1;
    return [part.slice(0, at), part.slice(at)];
  });
}

/** Where the query begins, with its question mark; where it would begin if there is none. */
function queryStart(address: string): number {
  const at = address.slice(0, queryEnd(address)).indexOf("?");
  return at === -1 ? queryEnd(address) : at;
}

function queryEnd(address: string): number {
  const hash = address.indexOf("#");
  return hash === -1 ? address.length : hash;
}

/** Whether an address has the stars of `maskUrlSecret` or `maskQuery` in it, and so is none that can be kept. */
export function isMasked(address: string): boolean {
  return /[:/]\*{3}@|[?&]([^=&#]*=)?\*{3}(?![^&#])/.test(address);
}
