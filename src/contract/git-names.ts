import * as z from "zod/mini";

import { isCleanPath, parseRepository } from "#contract/addresses/repository-address.ts";
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

/** A branch or tag name in a request. CI systems have variables with the full name of a reference, such as GITHUB_REF. */
export const RequestedBranch = BranchName.check(
  z.refine((name) => !name.startsWith("refs/"), "must be the name without `refs/heads/` or `refs/tags/`"),
);

/** A full or abbreviated commit hash, 7 characters or more. */
export const CommitName = textLike(
  /^(?:[0-9a-fA-F]{7,40}|[0-9a-fA-F]{64})$/,
  "must be 7 to 40 hexadecimal digits of a commit hash",
);

/** A full commit hash in a request, for what must not be another commit with the same first characters. */
export const FullCommitName = textLike(
  /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/,
  "must be the full commit hash, 40 hexadecimal digits",
);

/** A full commit hash as git prints it: SHA-1 or SHA-256. */
export const CommitSha = textLike(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** The maximum length of a reported commit message, in UTF-16 code units. */
export const MAX_COMMIT_MESSAGE = 1000;

/** A git repository: https, ssh (both forms), `file://`, or an absolute path on the server. */
export const Repository = textBetween(1, 2048).check(
  z.superRefine((text, context) => {
    const parsed = parseRepository(text);
    if (!parsed.ok) context.addIssue({ code: "custom", message: parsed.message, continue: false });
  }),
);

/**
 * A repository that a project may have, in its one form. Git hosts read no query, and a token in one would be stored in
 * clear. A password is sealed instead.
 */
export const ProjectRepository = Repository.check(
  z.refine((text) => !/^https:.*\?/.test(text), {
    message: "must not have a query: put an access token in as the password, https://user:token@host/path",
    abort: true,
  }),
  z.overwrite((text) => {
    const parsed = parseRepository(text);
    return parsed.ok ? parsed.value.text : text;
  }),
);

function isInsidePath(path: string): boolean {
  if (path.startsWith("/") || path.includes("\\")) return false;
  return isCleanPath(path) && path.split("/").every((part) => part !== "" && part !== ".git");
}

/** A relative path inside a release, without `..`. `.` is the release itself. */
export const InsidePath = textBetween(1, 1024).check(
  z.refine((path) => path === "." || isInsidePath(path), "must be a relative path inside the repository"),
);

/** A path inside a release that a link can replace, so not the release itself. */
export const SharedPath = textBetween(1, 1024).check(
  z.refine((path) => path !== "." && isInsidePath(path), "must be a relative path inside the repository"),
);

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
  return /[:/]\*{3}@|[?&]([^=&#]*=)?\*{3}(?![^&#])/.test(address);
}
