import { RUN_MARKER } from "#build/process/process-table.ts";

type Environment = Readonly<Record<string, string>>;

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
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  // A private proxy often needs a private certificate.
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
] as const;

/** Further variables that git needs to find keys. */
const passedToGit = ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "XDG_CONFIG_HOME"] as const;

/** @param runId marks the processes of the run, so that they can be found later */
export function commandEnvironment(own: NodeJS.ProcessEnv, runId: string): Environment {
  return { ...pick(own, passedOn), [RUN_MARKER]: runId };
}

/**
 * The environment of a project's build or activate command.
 * @param user the project's own user and its home folder; `null` when it shares the agent's
 * @param variables the project's variables, which take precedence over the agent's environment
 */
export function projectEnvironment(
  own: NodeJS.ProcessEnv,
  runId: string,
  user: { readonly name: string; readonly home: string } | null,
  variables: Environment,
): Environment {
  if (user === null) return { ...pick(own, passedOn), ...variables, [RUN_MARKER]: runId };
  // Not the agent's TMPDIR: the user has a /tmp of its own.
  const { TMPDIR: _, ...shared } = pick(own, passedOn);
  const ofUser = { HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: "/bin/sh" };
  return { ...shared, ...ofUser, ...variables, [RUN_MARKER]: runId };
}

/**
 * As `commandEnvironment`, and git never prompts for input.
 * @param ssh the command line for ssh. A GIT_SSH_COMMAND of the agent's own environment takes precedence.
 */
export function gitEnvironment(
  own: NodeJS.ProcessEnv,
  runId: string,
  ssh = "ssh -o BatchMode=yes",
): Environment {
  return {
    ...commandEnvironment(own, runId),
    GIT_SSH_COMMAND: ssh,
    ...pick(own, passedToGit),
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    // A path that cannot exist, so that no file in a mirror can give a commit other parents.
    GIT_GRAFT_FILE: "/dev/null/none",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

function pick(own: NodeJS.ProcessEnv, names: readonly string[]): Environment {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = own[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
