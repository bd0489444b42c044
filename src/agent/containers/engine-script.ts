import type { Command } from "#build/process/command.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import { type Environment, pickVariables, proxyVariables } from "#build/commands/environment.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { shellQuote } from "#node/shell-quote.ts";

// Rootless podman and buildah, as the project's user in a unit that the isolation helper starts for them. The unit has
// `/run/user/UID` in memory for itself: podman mixes up the containers of a user that share such a folder.

/** What podman and buildah get from the agent's environment: how to reach registries. */
export const passedOn = ["LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", ...proxyVariables] as const;

/** Names that would change what the shell, podman or a program of podman does, outside of the container, or that the scripts set. */
const FOR_PROGRAMS =
  /^(?:run|RUNTIME_DIRECTORY|PWD|OLDPWD|PATH|HOME|USER|LOGNAME|SHELL|IFS|ENV|PS[0-9]|CDPATH|TMPDIR|BASH.*|LD_.*|GLIBC_.*|GO(?:COVERDIR|DEBUG|GC|MAXPROCS|MEMLIMIT|RACE|TRACEBACK)|XDG_.*|DBUS_.*|NOTIFY_SOCKET|LISTEN_.*|_?CONTAINERS?_.*|PODMAN_.*|BUILDAH_.*|STORAGE_.*|REGISTRY_.*|DOCKER_.*|SSL_CERT_.*)$/;
const HIDDEN = "GANTRY_VARIABLE_";

/** A project's variables for a script of the engine. */
export type EngineVariables = {
  /** Of the script. */
  readonly env: Environment;
  /** The names that podman and buildah read from their own environment. */
  readonly names: readonly string[];
  /** The lines of the script that write the others to the file `$run/env`. */
  readonly lines: string;
};

/** Passes variables to a container, so that no value is in an argument or on a disk. */
export function engineVariables(
  variables: Environment,
): ResultOf<EngineVariables, { readonly reason: string }> {
  const entries = Object.entries(variables);
  const hidden = entries.filter(([name]) => FOR_PROGRAMS.test(name));
  const broken = hidden.find(([, value]) => value.includes("\n"));
  if (broken !== undefined)
    return { ok: false, reason: `the variable ${broken[0]} must not have more than one line in a container` };
  const open = entries.filter(([name]) => !FOR_PROGRAMS.test(name));
  return succeed({
    env: {
      ...Object.fromEntries(open),
      ...Object.fromEntries(hidden.map(([, value], at) => [`${HIDDEN}${at}`, value])),
    },
    names: open.map(([name]) => name),
    lines: [
      ': > "$run/env"',
      ...hidden.map(
        ([name], at) => `printf '%s\\n' "${name}=$${HIDDEN}${at}" >> "$run/env"; unset ${HIDDEN}${at}`,
      ),
    ].join("\n"),
  });
}

/** What the scripts of a project share. `environment`: the agent's own. */
export type EnginePlace = { readonly folder: ProjectFolder; readonly environment: NodeJS.ProcessEnv };
type HasEnvironment = { readonly environment: NodeJS.ProcessEnv };

export const enginePlace = ({ environment }: HasEnvironment, folder: ProjectFolder): EnginePlace => ({
  folder,
  environment,
});

/** The options of podman and buildah that name a project's storage. */
function storage({ folder }: EnginePlace): string {
  return `--root=${shellQuote(folder.containers)} --runroot="$run/root" --storage-driver=overlay`;
}

/** The beginning of a podman command. */
export const podman = (place: EnginePlace): string =>
  `podman --log-level=error ${storage(place)} --tmpdir="$run/tmp" --transient-store --cgroup-manager=cgroupfs`;

/** The beginning of a buildah command. */
export const buildah = (place: EnginePlace): string => `buildah ${storage(place)}`;

/** The variable with the text of the file that signs in to registries. The scripts write it to memory only. */
export const AUTH = "GANTRY_REGISTRY_AUTH";

/**
 * The lines of a script that sign in to registries, for its unit only, and the variable for them. The programs after them get the
 * path of the file, and no other program gets the text.
 * @param auth the text of an auth.json; null: nobody signs in
 */
export function signIn(auth: string | null): {
  readonly lines: readonly string[];
  readonly env: Environment;
} {
  if (auth === null) return { lines: [], env: {} };
  const lines = [
    `printf %s "$${AUTH}" >"$run/auth.json"`,
    `unset ${AUTH}`,
    'export REGISTRY_AUTH_FILE="$run/auth.json"',
  ];
  return { lines, env: { [AUTH]: auth } };
}

/**
 * A command that runs a script of podman or buildah. In it, `$run` is the unit's own folder in memory.
 * @param lines the script after its beginning
 */
export function engineCommand(place: EnginePlace, lines: readonly string[], env: Environment): Command {
  const { folder, environment } = place;
  const script = ["umask 077", "run=/run/user/$(id -u)", 'export XDG_RUNTIME_DIR="$run"', ...lines].join(
    "\n",
  );
  return {
    argv: ["sh", "-c", script],
    cwd: folder.containers,
    engine: "podman",
    env: {
      ...pickVariables(environment, passedOn),
      ...env,
      PATH: USUAL_PATH,
      HOME: folder.home,
    },
  };
}
