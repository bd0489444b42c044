import * as z from "zod/mini";

import { hasUnclearLogin } from "#contract/addresses/login-problem.ts";
import { isCleanPath, MAX_REPOSITORY, parseRepository } from "#contract/addresses/repository-address.ts";
import { textBetween, textLike } from "#contract/bounds.ts";

// Used by the API (422) and by the agent, so that the agent also refuses what a compromised control plane sends.

const CONTROL = /\p{Cc}/u;

/** Source: git-check-ref-format(1). A leading dash is also refused, because git would read the name as an option. */
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

/**
 * A branch or tag name in a request, without spaces around it. CI systems have variables with the full name of a
 * reference, such as GITHUB_REF, and git prints the branches of a remote as `origin/main`.
 */
export const RequestedBranch = textBetween(1, 244).check(
  z.overwrite((name) => name.trim()),
  z.superRefine((name, context) => {
    const message = branchProblem(name);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
);

/** Why a name that is not empty is invalid. */
function branchProblem(name: string): string | null {
  if (name === "") return null;
  if (name.startsWith("refs/")) return "must be the name without `refs/heads/` or `refs/tags/`";
  const [, remote, rest = ""] = /^((?:remotes\/)?origin\/)(.+)$/.exec(name) ?? [];
  if (isBranchName(name))
    return remote === undefined ? null : `must be the name without ${remote}: write ${rest}`;
  if (/\s/.test(name)) return "must be one branch or tag, and git allows no spaces in its name";
  return /[*?[]/.test(name)
    ? "must be one branch or tag, not a pattern: patterns are for `deploy_on`"
    : "must be a valid git branch or tag name";
}

/** A full or abbreviated commit hash, 7 characters or more. The commit of an image is its digest, without `sha256:`. */
export const CommitName = textLike(
  /^(?:[0-9a-fA-F]{7,40}|[0-9a-fA-F]{64})$/,
  "must be 7 to 40 hexadecimal digits of a commit hash",
);

/** As `CommitName`, in a request: the digest of an image may have its `sha256:`. */
export const RequestedCommit = textLike(
  /^(?:[0-9a-fA-F]{7,40}|(?:sha256:)?[0-9a-fA-F]{64})$/,
  "must be 7 to 40 hexadecimal digits of a commit hash",
).check(z.overwrite(withoutDigestPrefix));

/** A full commit hash in a request, for what must not be another commit with the same first characters. */
export const FullCommitName = textLike(
  /^(?:[0-9a-fA-F]{40}|(?:sha256:)?[0-9a-fA-F]{64})$/,
  "must be the full commit hash, 40 hexadecimal digits",
).check(z.overwrite(withoutDigestPrefix));

function withoutDigestPrefix(text: string): string {
  return text.replace(/^sha256:/, "");
}

/** A full commit hash as git prints it: SHA-1 or SHA-256. */
export const CommitSha = textLike(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** The maximum length of a reported commit message, in UTF-16 code units. */
export const MAX_COMMIT_MESSAGE = 1000;

/** A git repository (https, ssh in both forms, `file://`, or an absolute path on the server), or images (`docker://`). */
export const Repository = textBetween(1, MAX_REPOSITORY).check(
  z.superRefine((text, context) => {
    const parsed = parseRepository(text);
    if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.message, continue: false });
  }),
);

function isInsidePath(path: string): boolean {
  if (path.startsWith("/") || path.includes("\\")) return false;
  return isCleanPath(path) && path.split("/").every((part) => part !== "" && part !== ".git");
}

const INSIDE = "must be a relative path inside the repository";

/** A relative path inside a release, without `..`. `.` is the release itself. */
export const InsidePath = textBetween(1, 1024).check(
  z.refine((path) => path === "." || isInsidePath(path), INSIDE),
);

/** A path inside a release that a link can replace, so not the release itself. */
export const SharedPath = textBetween(1, 1024).check(
  z.refine((path) => path !== "." && isInsidePath(path), INSIDE),
);

/** As `InsidePath`, in a request: without spaces and slashes around it, and without parts that mean nothing. */
export const RequestedPath = textBetween(1, 1024).check(
  z.overwrite(tidyPath),
  z.superRefine((path, context) => {
    const message = path === "." ? null : pathProblem(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
);

/** As `SharedPath`, in a request. */
export const RequestedSharedPath = textBetween(1, 1024).check(
  z.overwrite(tidyPath),
  z.superRefine((path, context) => {
    const message = path === "." ? `${INSIDE}, not the repository itself` : pathProblem(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
);

/** `./apps//shop/ ` is `apps/shop`. */
function tidyPath(text: string): string {
  const path = text.trim();
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || path === "") return path;
  return parts.length === 0 ? "." : parts.join("/");
}

/** Why a tidy path leads nowhere in a repository, with what to write if it can be guessed; null: it does not. */
function pathProblem(path: string): string | null {
  if (isInsidePath(path)) return null;
  const slashed = path.replace(/\\+/g, "/");
  const resolved = resolveInside(slashed);
  const isGuess = resolved !== null && resolved !== path && (resolved === "." || isInsidePath(resolved));
  return isGuess && !/^[a-z]:/i.test(path) ? `${INSIDE}: write ${resolved}` : INSIDE;
}

/** A path from the root of the repository without `..`; null: it leads out of the repository. */
function resolveInside(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === ".." && parts.pop() === undefined) return null;
    if (part !== "" && part !== "." && part !== "..") parts.push(part);
  }
  return parts.join("/") || ".";
}

/** A file that a static site shows: no name in its path begins with a dot. */
export const ShownFile = SharedPath.check(
  z.refine((path) => !/(?:^|\/)\./.test(path), "must not contain a name that begins with a dot"),
);

/**
 * Masks the passwords of URLs in a text. The pattern matches only the last letter of the scheme: matching its beginning
 * takes quadratic time in long texts, and a build can write any text.
 */
export function maskUrlPassword(text: string): string {
  return text.replace(/([a-z0-9+.-]:\/\/[^\s:@/]*):[^\s@/]+@/gi, "$1:***@");
}

/** The minimum length of a user name that is masked as an access token. Shorter ones are ordinary names. */
export const SHORTEST_USER_TOKEN = 16;
const USER_TOKEN = new RegExp(`^(https?://)[^\\s:@/]{${SHORTEST_USER_TOKEN},}@`, "i");

/**
 * Masks the secrets in a URL of a setting: the password, a long user name without a password, which is often an access
 * token, and the values of the query, which can be tokens too.
 */
export function maskUrlSecret(url: string): string {
  const masked = maskUrlPassword(url).replace(USER_TOKEN, "$1***@");
  return /^https?:/i.test(masked) ? maskQuery(masked) : masked;
}

/**
 * Masks the secrets in a repository's address, which may be invalid. Of a login that programs read differently, nothing
 * is shown: neither the path with its end, nor a host or port that could be its beginning.
 */
export function maskRepository(address: string): string {
  if (!hasUnclearLogin(address)) return maskUrlSecret(address);
  const parsed = parseRepository(address);
  if (!parsed.ok || !("place" in parsed.value))
    return maskUrlSecret(address.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)?[^]*@/i, "$1***@"));
  const { kind, login, place } = parsed.value;
  const [, host = "", port = "", path = ""] = /^(\[[^\]]*\]|[^:/]*)(:\d+)?\/?([^]*)$/.exec(place) ?? [];
  const shownPath = path.includes("@") ? "***" : path;
  if (login !== null) return `${kind}://***@${host}${port}/${shownPath}`;
  return `${kind}://${host.includes(".") ? host : "***"}/${shownPath}`;
}

/** Replaces each query value of an http URL or path with `***`, including values without a name. */
export function maskQuery(address: string): string {
  return partsOfQuery(address)
    .map(([name, value]) => `${name}${value === "" ? "" : "***"}`)
    .reduce((masked, part) => masked + part, address.slice(0, queryStart(address)))
    .concat(address.slice(queryEnd(address)));
}

/** The values of a query, each with the text before it: `?name=`, or `?` if it has no name. */
export function partsOfQuery(address: string): readonly (readonly [before: string, value: string])[] {
  const parts = address.slice(queryStart(address), queryEnd(address)).match(/[?&][^&]*/g) ?? [];
  return parts.map((part) => {
    const at = part.indexOf("=") + 1 || 1;
    return [part.slice(0, at), part.slice(at)];
  });
}

/** The index of the question mark of the query, or the index where a query would start. */
function queryStart(address: string): number {
  const at = address.slice(0, queryEnd(address)).indexOf("?");
  return at === -1 ? queryEnd(address) : at;
}

function queryEnd(address: string): number {
  const hash = address.indexOf("#");
  return hash === -1 ? address.length : hash;
}

/** Whether a URL contains the `***` of `maskUrlSecret` or `maskQuery`. Such a URL must not be stored. */
export function isMasked(address: string): boolean {
  return /[:/]\*{3}(?:@|$)|[?&]([^=&#]*=)?\*{3}(?![^&#])/.test(address);
}
