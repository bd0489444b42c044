import { isLocal } from "#contract/addresses/repository-address.ts";
import { looksLikeToken } from "#contract/addresses/access-token.ts";

/** The maximum length of a repository's address. */
export const MAX_REPOSITORY = 2048;

/**
 * An address without what a paste adds: spaces around it, slashes at its end, and a scheme in upper case, as phones write
 * it.
 */
export function tidyRepository(text: string): string {
  if (text.length > MAX_REPOSITORY) return text;
  const trimmed = text.trim().replace(/^(?:https?|ssh|file):\/\//i, (scheme) => scheme.toLowerCase());
  return isLocal(trimmed) ? trimmed : trimmed.replace(/(?<![/:])\/+$/, "");
}

/**
 * Why an address that can be parsed is probably a mistake, such as an address of a web page; null: it looks right. The
 * text never repeats anything that could be a password.
 */
export function pasteProblem(text: string): string | null {
  if (text.length > MAX_REPOSITORY) return null;
  return (
    loginProblem(text) ??
    surroundingsProblem(text) ??
    formProblem(text) ??
    (/^(?:https|ssh):\/\//.test(text) ? pageProblem(text) : scpProblem(text)) ??
    suffixProblem(text)
  );
}

/** Whether programs could read different parts of an address as its login, or a part of it as no login at all. */
export function hasUnclearLogin(text: string): boolean {
  return text.includes("@") && loginProblem(text) !== null;
}

const ENCODE =
  "must have a login and path in which other characters are percent-encoded. Write / as %2F and @ as %40 in the password";
const TOKEN_AND_PASSWORD =
  "must not have an access token as the user name and a password too: write https://USER:TOKEN@host/path";
const TOKEN_FOR_SSH =
  "must not have an access token as its ssh user, because ssh uses keys: write git@host:path, or https://USER:TOKEN@host/path";
const PASSWORD_FOR_SSH =
  "must not have a password, because this form is for ssh: write user@host:path, or https://user:password@host/path. Write / as %2F and @ as %40 in the password";
/** What people write as the password of a token. */
const PLACEHOLDER =
  /^(?:.{1,3}|none|blank|oauth2?|token|api[_-]?(?:key|token)|x-access-token|git|pass(?:word)?)$/i;
/** What ends the login for some programs. */
const ENDS_LOGIN = /[/?#@[\]]|[^!-~]/;

/**
 * A login that some programs read only in part, so that the rest would be stored in clear: `https://bob:12/34@host/` is
 * the host `bob` with the port 12 to a parser.
 */
function loginProblem(text: string): string | null {
  const [, scheme, authority = "", rest = ""] = /^([a-z][a-z0-9+.-]*:)?\/\/([^/]*)([^]*)$/i.exec(text) ?? [];
  if (scheme === undefined && !text.startsWith("//")) return scpLoginProblem(text);
  const at = authority.lastIndexOf("@");
  const login = at === -1 ? null : authority.slice(0, at);
  if (scheme === undefined) return text.includes("@") ? "must begin with https:// or ssh://" : null;
  if (/^file:/i.test(scheme)) return null;
  const colon = login?.indexOf(":") ?? -1;
  const user = colon === -1 ? login : (login?.slice(0, colon) ?? null);
  const password = colon === -1 ? "" : (login?.slice(colon + 1) ?? "");
  if (login !== null && (ENDS_LOGIN.test(user ?? "") || ENDS_LOGIN.test(password))) return ENCODE;
  if (rest.includes("@") && !(login === null && isHandle(authority, rest))) return ENCODE;
  if (user === null) return null;
  if (/ssh/i.test(scheme)) return looksLikeToken(user) ? TOKEN_FOR_SSH : null;
  if (password === "" || password === "x-oauth-basic") return null;
  return looksLikeToken(user) || (user.length >= 16 && PLACEHOLDER.test(password))
    ? TOKEN_AND_PASSWORD
    : null;
}

/** Whether the @ begins the name of an owner, as in `https://tangled.org/@alice/site`. */
function isHandle(authority: string, rest: string): boolean {
  return authority.includes(".") && !authority.includes(":") && /^\/@[^@]*$/.test(rest);
}

function scpLoginProblem(text: string): string | null {
  if (isLocal(text)) return null;
  const [, user = ""] = /^([^@]*)@/.exec(text) ?? [];
  const isPlain = !text.includes("@") || /^[^@]*@[^@]*(?::@[^@]*)?$/.test(text);
  if (!isPlain || (/[:/]/.test(user) && !/\s/.test(user))) return PASSWORD_FOR_SSH;
  return looksLikeToken(user) ? TOKEN_FOR_SSH : null;
}

/** The problem of an address with text around it from a shell, a chat or a document. */
function surroundingsProblem(text: string): string | null {
  if (/^["'`<([]|["'`>)\]]$/.test(text))
    return "must be the address alone, without quotes or brackets around it";
  if (/^(?:\$ ?)?(?:git|gh|cd)\s/i.test(text))
    return "must be the address alone, without a command such as `git clone` before it";
  return null;
}

/** Other ways to write where a repository is. */
function formProblem(text: string): string | null {
  const write = suggestion(text);
  if (/^(?:[a-z]:[\\/]|\\\\|\.{1,2}(?:[\\/]|$)|~)/i.test(text))
    return "must be an https or ssh URL: a path on your own computer is not on the server";
  if (text.startsWith("file:"))
    return text.startsWith("file:///") ? null : "must be file:///path, with three slashes";
  if (isLocal(text)) return null;
  const doubled = /^(?:https?|ssh):\/\/((?:https?|ssh):\/\/.*)$/i.exec(text)?.[1];
  if (doubled !== undefined) return `has two schemes: ${write(doubled)}`;
  const [, transport, other] = /^(git\+|)(?:http|git|https|ssh):\/\/(.*)$/i.exec(text) ?? [];
  if (transport !== undefined && other !== undefined && !/^(?:https|ssh):/.test(text)) {
    const scheme = /^(?:git\+)?ssh:/i.test(text) ? "ssh" : "https";
    return `must begin with ${scheme}://: ${write(`${scheme}://${other}`)}`;
  }
  if (/^(?:https|ssh):\/\//.test(text)) return null;
  if (/^https?:?\/{0,3}(?=[\w-]+\.)/i.test(text)) {
    const address = text.replace(/^https?:?\/{0,3}/i, "");
    return `must begin with https://: ${write(`https://${address}`)}`;
  }
  const [, forge, name] = /^(github|gh|gitlab|bitbucket):([\w.-]+\/[\w./-]+)$/i.exec(text) ?? [];
  if (forge !== undefined)
    return `must be a URL: ${write(`https://${shorthands[forge.toLowerCase()]}/${name}`)}`;
  if (/^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?\/[^@]+$/i.test(text))
    return `must begin with https://: ${write(`https://${text}`)}`;
  if (/^(?:[\w-]+\.)+[a-z]{2,}:[\w~][^@:]*$/i.test(text))
    return `must begin with a user: ${write(`git@${text}`)}`;
  if (/^[\w-][\w.-]*\/[\w.-]+$/.test(text))
    return `must be a URL. For a repository on GitHub, ${write(`https://github.com/${text}`)}`;
  return null;
}

const shorthands: Readonly<Record<string, string>> = {
  gh: "github.com",
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};

/** The public git hosts at which each repository has an owner and a name, and nothing else. */
const OWNER_AND_NAME = /^(?:(?:www\.)?github\.com|bitbucket\.org|codeberg\.org|gitea\.com)$/;

/** The short form of ssh with a port, which git reads as the first folder of the path, or without its colon. */
function scpProblem(text: string): string | null {
  const write = suggestion(text);
  const [, user, host = "", port, path = ""] = /^([\w.+-]+)@([\w.-]+):(\d{1,5})[:/]+(.+)$/.exec(text) ?? [];
  // There are users whose name is a number.
  const isOwner = OWNER_AND_NAME.test(host) || host === "gitlab.com";
  if (port !== undefined && !(isOwner && !path.includes("/")))
    return `must not have a port in this form: ${write(`ssh://${user}@${host}:${port}/${path}`, "ssh://user@host:port/path")}`;
  const [, name, place, rest] = /^([\w.+-]+)@([\w.-]+)\/:?(.+)$/.exec(text) ?? [];
  if (name !== undefined)
    return `must have a colon after the host: ${write(`${name}@${place}:${rest}`, "user@host:path")}`;
  return null;
}

/** The address of a page in a browser: a branch, a file, a pull request. */
function pageProblem(text: string): string | null {
  const [, scheme = "", authority = "", path = ""] = /^(https|ssh):\/\/([^/]+)\/([^?#]*)/.exec(text) ?? [];
  const write = suggestion(text);
  const [, place, rest] = /^(?:[^@]*@)?([\w.-]*\.[\w-]+):([^/@\d][^/@]*)$/.exec(authority) ?? [];
  if (place !== undefined) {
    const user = scheme === "ssh" ? "git@" : "";
    return `must have a slash after the host: ${write(`${scheme}://${user}${place}/${rest}/${path}`)}`;
  }
  if (scheme === "ssh") return null;
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  const parts = path.split("/");
  if (host === "api.github.com" && parts[0] === "repos") return page("github.com", parts.slice(1, 3));
  if (host === "raw.githubusercontent.com") return page("github.com", parts.slice(0, 2));
  if (OWNER_AND_NAME.test(host) && parts.length === 1)
    return `must name a repository: write https://${host}/OWNER/NAME`;
  const end = OWNER_AND_NAME.test(host) ? 2 : pageStart(parts);
  return end === -1 || parts.length <= end
    ? null
    : page(host, parts.slice(0, end), branchOf(parts.slice(end)));

  function page(site: string, repository: readonly string[], branch: string | null = null): string {
    const name = branch === null ? "" : ` here, and ${branch} as the branch`;
    return `is the address of a page: ${write(`https://${site}/${repository.join("/")}`, "the address that the page shows under Clone")}${name}`;
  }
}

/** The index of the part of a path that no repository has; -1: there is none. A name with `.git` is a repository's. */
function pageStart(parts: readonly string[]): number {
  const dash = parts.indexOf("-");
  if (dash >= 2) return dash;
  const isPage = parts.length >= 4 && !(parts.at(-1) ?? "").endsWith(".git") && PAGES.test(parts[2] ?? "");
  return isPage ? 2 : -1;
}

const PAGES =
  /^(?:tree|blob|raw|blame|commit|commits|pull|pulls|issues|compare|merge_requests|src|releases)$/;

/** The branch in the rest of a page's path, if it has no slash. */
function branchOf(rest: readonly string[]): string | null {
  const [kind, ...names] = rest[0] === "-" ? rest.slice(1) : rest;
  const [branch, ...more] = kind === "src" && names[0] === "branch" ? names.slice(1) : names;
  const isBranch = (kind === "tree" || kind === "src") && more.length === 0;
  return isBranch && branch !== undefined && /^[\w.-]{1,100}$/.test(branch) && !looksLikeToken(branch)
    ? branch
    : null;
}

/** What no git host reads. A token in it would be stored in clear. */
function suffixProblem(text: string): string | null {
  if (isLocal(text)) return null;
  if (text.includes("?"))
    return "must not have a query: put an access token in as the password, https://user:token@host/path";
  return text.includes("#") ? "must not have a fragment (#): name the branch in its own setting" : null;
}

/** Makes `write …` of an address, unless the text that it comes from could contain a password or a token. */
function suggestion(text: string): (address: string, form?: string) => string {
  const isPublic = !/[?#%]/.test(text) && /^(?:[a-z+]+:\/\/)*(?:git@)?[^@]*$/i.test(text) && !/\s/.test(text);
  return (address, form = "https://host/path") => `write ${isPublic ? address : form}`;
}
