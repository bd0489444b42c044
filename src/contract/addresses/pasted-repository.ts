import * as z from "zod/mini";

import { looksLikeToken } from "#contract/addresses/access-token.ts";
import { loginProblem } from "#contract/addresses/login-problem.ts";
import {
  isImageRepository,
  isLocal,
  MAX_REPOSITORY,
  parseRepository,
} from "#contract/addresses/repository-address.ts";
import { textBetween } from "#contract/bounds.ts";

/**
 * A repository in a request, in its one form. Refuses more than `Repository`: what can be parsed but not be meant, and a
 * secret at a place where it would be stored in clear. A password is sealed instead.
 */
export const ProjectRepository = textBetween(1, MAX_REPOSITORY).check(
  z.overwrite(tidyRepository),
  z.superRefine((text, context) => {
    const parsed = parseRepository(text);
    const message = pasteProblem(text) ?? (parsed.ok ? null : parsed.message);
    if (message !== null) context.addIssue({ code: "custom", message, continue: false });
  }),
  z.overwrite((text) => {
    const parsed = parseRepository(text);
    return parsed.ok ? parsed.value.text : text;
  }),
);

/**
 * An address without what a paste adds: spaces around it, slashes at its end, and a scheme in upper case, as phones write
 * it.
 */
function tidyRepository(text: string): string {
  if (text.length > MAX_REPOSITORY) return text;
  const trimmed = text.trim().replace(/^(?:https?|ssh|file|docker):\/\//i, (scheme) => scheme.toLowerCase());
  return isLocal(trimmed) ? trimmed : trimmed.replace(/(?<![/:])\/+$/, "");
}

/**
 * Why an address that can be parsed is probably a mistake, such as an address of a web page; null: it looks right. The
 * text never repeats anything that could be a password.
 */
function pasteProblem(text: string): string | null {
  if (text.length > MAX_REPOSITORY) return null;
  return (
    loginProblem(text) ??
    surroundingsProblem(text) ??
    formProblem(text) ??
    (/^(?:https|ssh|docker):\/\//.test(text) ? pageProblem(text) : scpProblem(text)) ??
    suffixProblem(text)
  );
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
  if (isLocal(text) || isImageRepository(text)) return null;
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
