type Config = readonly (readonly [string, string])[];

/** How git reaches a remote without its login in any command line. */
export type GitRemote = {
  /** The address without a user name and password: git gives it to its helper programs as an argument. */
  readonly url: string;
  /** Configuration by which git asks for the login, and only for this scheme, host and port. */
  readonly config: Config;
  /** Where the login is. Only processes of this user can read another process's environment. */
  readonly env: Readonly<Record<string, string>>;
};

const VARIABLE = "GANTRY_GIT_CREDENTIAL";

/**
 * A credential helper as gitcredentials(7) has it. printenv gets the variable's name as its argument and never the value;
 * a shell's own printf could be a program with the value as its argument.
 */
const HELPER = `!f() { if test "$1" = get; then printenv ${VARIABLE}; fi; }; f`;

/** Takes the login out of a repository's address. */
export function readRemote(repository: string): GitRemote {
  const match = /^(https|ssh):\/\/([^/@]*)@(.*)$/s.exec(repository);
  const [, scheme, userInfo = "", rest = ""] = match ?? [];
  if (scheme === undefined) return { url: repository, config: [], env: {} };
  const { user, password } = splitUserInfo(userInfo);
  // ssh takes no password from an address, and would get it as a part of the user's name, as an argument.
  if (scheme === "ssh") return { url: `ssh://${user}@${rest}`, config: [], env: {} };
  const url = `https://${rest}`;
  const key = `credential.https://${rest.split("/", 1)[0]}`;
  const login = { user: decode(user), password: decode(password ?? "") };
  // git refuses them as well: each line of a helper's answer is a statement.
  if (/[\0\r\n]/.test(login.user + login.password)) return { url, config: [], env: {} };
  return {
    url,
    config: [
      [`${key}.username`, login.user],
      // An empty helper leaves those before it out. They are asked first where the address has no password.
      ...(password === null ? [] : [[`${key}.helper`, ""] as const]),
      [`${key}.helper`, HELPER],
    ],
    env: { [VARIABLE]: `username=${login.user}\npassword=${login.password}` },
  };
}

/**
 * Adds the parent's login to the address of a submodule on the same host. The token of a CI job is made for that, and a
 * relative address already has it.
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
