import { delimiter } from "node:path";

import { USUAL_PATH } from "#build/tools/find-program.ts";
import { RUN_MARKER } from "#build/process/process-table.ts";

export type Environment = Readonly<Record<string, string>>;

/** The variables that say by which proxy the internet is reached. */
export const proxyVariables = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
] as const;

/**
 * The variables that commands get from the agent's environment. Others are left out because they may contain secrets
 * of other programs.
 */
const passedOn = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  ...proxyVariables,
  // A private proxy often needs a private certificate.
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
] as const;

/** @param runId marks the processes of the run, so that they can be found later */
export function commandEnvironment(own: NodeJS.ProcessEnv, runId: string): Environment {
  return { ...pickVariables(own, passedOn), [RUN_MARKER]: runId };
}

/**
 * The environment of a project's command.
 * @param user the project's own user and its home folder; `null` when it shares the agent's
 * @param variables the project's variables, which take precedence over the agent's environment
 * @param folders of the tools that the repository asks for, which are first on the PATH
 */
export function projectEnvironment(
  own: NodeJS.ProcessEnv,
  runId: string,
  user: { readonly name: string; readonly home: string } | null,
  variables: Environment,
  folders: readonly string[] = [],
): Environment {
  const path = variables["PATH"] ?? own["PATH"] ?? USUAL_PATH;
  const last = {
    ...variables,
    ...(folders.length === 0 ? {} : { PATH: [...folders, path].join(delimiter) }),
    [RUN_MARKER]: runId,
  };
  if (user === null) return { ...pickVariables(own, passedOn), ...last };
  // Not the agent's TMPDIR: the user has a /tmp of its own.
  const { TMPDIR: _, ...shared } = pickVariables(own, passedOn);
  const ofUser = { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: "/bin/sh" };
  return { ...shared, ...ofUser, ...last };
}

/**
 * A project's variables for the install command of a preset: without `NODE_ENV`, because package managers install no
 * development dependencies for `production`, and most builds need them.
 */
export function installVariables(variables: Environment): Environment {
  const { NODE_ENV: _, ...others } = variables;
  return others;
}

/** The variables of these names that exist. */
export function pickVariables(own: NodeJS.ProcessEnv, names: readonly string[]): Environment {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = own[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
