import { parseRepository, withLogin } from "#contract/addresses/repository-address.ts";
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
  const parsed = parseRepository(repository);
  if (!parsed.ok || !("login" in parsed.value)) return null;
  const { kind, login } = parsed.value;
  if (login === null) return null;
  const { user, password } = login;
  if (password !== null && password !== "" && password !== PLACEHOLDER) {
    const token = kind === "ssh" ? null : decoded(password);
    return { address: withLogin(parsed.value, { user, password: null }), token, isUserName: false };
  }
  const isToken = kind === "https" && user.length >= SHORTEST_USER_TOKEN;
  return isToken ? { address: withLogin(parsed.value, null), token: decoded(user), isUserName: true } : null;
}

/** The user name in an address; empty without one. */
export function userNameOf(repository: string): string {
  const parsed = parseRepository(repository);
  return parsed.ok && "login" in parsed.value ? (parsed.value.login?.user ?? "") : "";
}

/** The text with percent-encoding decoded, as git does. Unchanged if that is not possible, or is no text for a password. */
function decoded(text: string): string {
  const plain = percentDecoded(text);
  return /\p{Cc}/u.test(plain) ? text : plain;
}
