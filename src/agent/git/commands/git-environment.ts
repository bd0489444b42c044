import { commandEnvironment, type Environment, pickVariables } from "#build/commands/environment.ts";

/** Further variables that git needs to find keys. */
const passedToGit = ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "XDG_CONFIG_HOME"] as const;

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
    ...pickVariables(own, passedToGit),
    GIT_TERMINAL_PROMPT: "0",
    // The agent recognizes messages of git and ssh.
    LC_ALL: "C",
    GIT_NO_REPLACE_OBJECTS: "1",
    // A path that cannot exist, so that no file in a mirror can give a commit other parents.
    GIT_GRAFT_FILE: "/dev/null/none",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}
