import { looksLikeToken } from "#contract/addresses/access-token.ts";
import { isLocal } from "#contract/addresses/repository-address.ts";

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
export function loginProblem(text: string): string | null {
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
  if (rest.includes("@") && !(login === null && (isHandle(authority, rest) || isDigest(scheme, rest))))
    return ENCODE;
  if (user === null) return null;
  if (/ssh/i.test(scheme)) return looksLikeToken(user) ? TOKEN_FOR_SSH : null;
  if (password === "" || password === "x-oauth-basic") return null;
  return looksLikeToken(user) || (user.length >= 16 && PLACEHOLDER.test(password))
    ? TOKEN_AND_PASSWORD
    : null;
}

/** Whether programs could read different parts of an address as its login, or a part of it as no login at all. */
export function hasUnclearLogin(text: string): boolean {
  return text.includes("@") && loginProblem(text) !== null;
}

/** Whether the @ begins the digest of an image, which is no secret. */
function isDigest(scheme: string, rest: string): boolean {
  return scheme === "docker:" && /^[^@]*@sha256:[0-9a-f]*$/.test(rest);
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
