import { SHORTEST_USER_TOKEN } from "#contract/git-names.ts";
import { percentDecoded } from "#contract/mask.ts";

/**
 * An address of a repository, split. `token` is the decoded password for git; null for ssh, which cannot use one.
 * `isUserName`: the address has no password, but a user name that is as long as an access token.
 */
export type RepositoryLogin = {
  readonly address: string;
  readonly token: string | null;
  readonly isUserName: boolean;
};

/** What GitHub's older instructions use as the password when the user name is the token. */
const PLACEHOLDER = "x-oauth-basic";

/** Splits the password, or an access token in place of the user name, from an address; null if it has neither. */
export function splitLogin(repository: string): RepositoryLogin | null {
  const [, scheme = "", user = "", password = "", place = ""] =
    /^([a-z]+:\/\/)([^:@/]*)(?::([^@/]*))?@(.*)$/i.exec(repository) ?? [];
  const isHttp = /^https?:/i.test(scheme);
  if (password !== "" && password !== PLACEHOLDER) {
    const token = isHttp ? decoded(password) : null;
    return { address: `${scheme}${user}@${place}`, token, isUserName: false };
  }
  const isToken = isHttp && user.length >= SHORTEST_USER_TOKEN;
  return isToken ? { address: `${scheme}${place}`, token: decoded(user), isUserName: true } : null;
}

/** The host and port of an https address, in lower case; null for other addresses. */
export function httpsHost(repository: string): string | null {
  return /^https:\/\/(?:[^/@]*@)?([^/]+)/.exec(repository)?.[1]?.toLowerCase() ?? null;
}

/** The user name in an address; empty without one. */
export function userNameOf(repository: string): string {
  return /^[a-z]+:\/\/([^:@/]*)(?::[^@/]*)?@/i.exec(repository)?.[1] ?? "";
}

/** The text with percent-encoding decoded, as git does. Unchanged if that is not possible, or is no text for a password. */
function decoded(text: string): string {
  const plain = percentDecoded(text);
  return /\p{Cc}/u.test(plain) ? text : plain;
}
