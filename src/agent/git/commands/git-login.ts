import { parseRepository, repositoryOf, withLogin } from "#contract/addresses/repository-address.ts";
import { percentDecoded } from "#contract/mask.ts";

type Config = readonly (readonly [string, string])[];

/** How git reaches a remote without its login in any command line. */
export type GitRemote = {
  /** The address without user name and password. git passes it to its helper programs as an argument. */
  readonly url: string;
  /** Configuration that makes git ask for the login, for this scheme, host and port only. */
  readonly config: Config;
  /**
   * The answer of the credential helper; `null`: no login. It goes to a file, because `ps` shows arguments to every user,
   * and variables to root.
   */
  readonly login: string | null;
};

/** The variable with the path of the file that contains the login. */
export const LOGIN_FILE = "GANTRY_GIT_LOGIN";

/** A credential helper as described in gitcredentials(7). */
const HELPER = `!f() { if test "$1" = get; then cat "$${LOGIN_FILE}"; fi; }; f`;

/** Separates the login from a repository's address. @throws if no schema has accepted the address */
export function readRemote(repository: string): GitRemote {
  const parsed = repositoryOf(repository);
  if (parsed.kind === "local" || parsed.kind === "scp" || parsed.login === null)
    return { url: parsed.text, config: [], login: null };
  const { user, password } = parsed.login;
  // ssh does not read a password from an address: it would become part of the user name, in an argument.
  if (parsed.kind === "ssh")
    return { url: withLogin(parsed, { user, password: null }), config: [], login: null };
  const url = withLogin(parsed, null);
  if (parsed.kind === "docker") return { url, config: [], login: null };
  const key = `credential.${parsed.address.origin}`;
  const login = { user: percentDecoded(user), password: percentDecoded(password ?? "") };
  // git refuses these characters too: each line of a helper's answer is a statement.
  if (/[\0\r\n]/.test(login.user + login.password)) return { url, config: [], login: null };
  return {
    url,
    config: [
      [`${key}.username`, login.user],
      // An empty helper removes the configured ones before it. Without a password in the address, they are asked
      // first.
      ...(password === null ? [] : [[`${key}.helper`, ""] as const]),
      [`${key}.helper`, HELPER],
    ],
    login: `username=${login.user}\npassword=${login.password}\n`,
  };
}

/**
 * Adds the parent's login to the address of a submodule on the same host and port. CI job tokens are made for this, and a
 * relative address inherits the login anyway.
 */
export function inheritLogin(parent: string, url: string): string {
  const [from, to] = [parseRepository(parent), parseRepository(url)];
  if (!from.ok || !to.ok || from.value.kind !== "https" || to.value.kind !== "https") return url;
  const isInherited = to.value.login === null && from.value.address.origin === to.value.address.origin;
  return isInherited ? withLogin(to.value, from.value.login) : url;
}
