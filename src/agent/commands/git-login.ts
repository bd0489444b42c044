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

/** Separates the login from a repository's address. */
export function readRemote(repository: string): GitRemote {
  const match = /^(https|ssh):\/\/([^/@]*)@(.*)$/s.exec(repository);
  const [, scheme, userInfo = "", rest = ""] = match ?? [];
  if (scheme === undefined) return { url: repository, config: [], login: null };
  const { user, password } = splitUserInfo(userInfo);
  // ssh does not read a password from an address: it would become part of the user name, in an argument.
  if (scheme === "ssh") return { url: `ssh://${user}@${rest}`, config: [], login: null };
  const url = `https://${rest}`;
  const key = `credential.https://${rest.split("/", 1)[0]}`;
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
 * Adds the parent's login to the address of a submodule on the same host. CI job tokens are made for this, and a
 * relative address inherits the login anyway.
 */
export function inheritLogin(parent: string, url: string): string {
  const login = /^https:\/\/([^/@]*@)([^/]*)\//.exec(parent);
  const host = /^https:\/\/([^/@]*)\//.exec(url)?.[1];
  if (login === null || host === undefined || host.toLowerCase() !== login[2]?.toLowerCase()) return url;
  return url.replace("https://", () => `https://${login[1]}`);
}

function splitUserInfo(userInfo: string): { readonly user: string; readonly password: string | null } {
  const colon = userInfo.indexOf(":");
  if (colon === -1) return { user: userInfo, password: null };
  return { user: userInfo.slice(0, colon), password: userInfo.slice(colon + 1) };
}
