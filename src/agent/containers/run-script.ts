import { commandWords } from "#agent/containers/command-words.ts";
import { engineCommand, type EnginePlace, engineVariables, podman } from "#agent/containers/engine-script.ts";
import type { ContainerNetwork } from "#contract/endpoints/processes/process-settings.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import type { Environment } from "#build/commands/environment.ts";
import type { Command } from "#build/process/command.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { shellQuote } from "#node/shell-quote.ts";

/** A command of a release that is an image. */
export type ContainerRun = {
  readonly image: ReleaseImage;
  /** Unique among the containers that run. */
  readonly name: string;
  readonly line: string;
  /** Of the app, with open secrets. */
  readonly variables: Environment;
  /** The shared paths of the project. Each that exists is mounted below the image's working directory. */
  readonly sharedPaths: readonly string[];
};

/** How requests reach an instance in a network of its own: at `port` of the server, and at `inside` in the container. */
export type ContainerPort = { readonly port: number; readonly inside: number };

/** No container of a project needs these, and an app may listen on the ports 80 and 443 without being root. */
const RIGHTS =
  "--security-opt=no-new-privileges --cap-drop=NET_RAW,MKNOD,AUDIT_WRITE --cap-add=NET_BIND_SERVICE";

/**
 * The command of an instance. It ends when the container runs. In the folder of the unit that systemd sees, `monitor.pid` has
 * the number of the process that ends with the container, and whose first child is the container's first process.
 */
export function instanceContainer(
  place: EnginePlace,
  run: ContainerRun & { readonly at: ContainerPort | null; readonly network: ContainerNetwork },
): ReturnType<typeof containerCommand> {
  const { at, network } = run;
  const net =
    network === "host"
      ? "--network=host"
      : ["--network=pasta", ...(at === null ? [] : [`--publish=127.0.0.1:${at.port}:${at.inside}`])].join(
          " ",
        );
  return containerCommand(
    place,
    run,
    `--detach --sdnotify=ignore --conmon-pidfile="$RUNTIME_DIRECTORY/monitor.pid" --log-driver=passthrough ${net}`,
    // The engine gives what it writes to to the user in the container, so this is a pipe. It is read to its end when the
    // container is stopped, and also if the disk is full.
    [
      'mkfifo "$run/output"',
      `(trap '' TERM INT HUP QUIT USR1 USR2; cat || cat >/dev/null) <"$run/output" &`,
      'exec >"$run/output" 2>&1',
    ],
  );
}

/** The command of a job or of a release command, which ends with the container, and with its exit code. */
export function jobContainer(place: EnginePlace, run: ContainerRun): ReturnType<typeof containerCommand> {
  return containerCommand(place, run, "--network=pasta --log-driver=none", []);
}

function containerCommand(
  place: EnginePlace,
  { image, name, line, variables, sharedPaths }: ContainerRun,
  options: string,
  before: readonly string[],
): ResultOf<Command, { readonly reason: string }> {
  const read = engineVariables(variables);
  if (!read.ok) return read;
  const { env, names, lines } = read.value;
  const words = line === image.command ? [] : commandWords(line);
  const shared = sharedPaths.map(
    (path) => [`${place.folder.shared}/${path}`, `${image.directory}/${path}`] as const,
  );
  const start = [
    `exec ${podman(place)} run --replace --rm --init --name=${shellQuote(name)} --pull=never --cgroups=disabled --no-healthcheck`,
    options,
    RIGHTS,
    ...names.map((variable) => `--env=${variable}`),
    '--env-file="$run/env" "$@"',
    image.id,
    ...words.map(shellQuote),
  ].join(" ");
  return succeed(
    engineCommand(
      place,
      [
        lines,
        ...before,
        "set --",
        ...shared.flatMap(([path, inside]) => mountLines(place, image, path, inside)),
        `${start} </dev/null`,
      ],
      env,
    ),
  );
}

/** Mounts a shared path, if it exists. Its files belong to the user in the container. */
function mountLines(
  place: EnginePlace,
  { user }: ReleaseImage,
  path: string,
  inside: string,
): readonly string[] {
  const quoted = shellQuote(path);
  // The engine reads the option as a line of comma-separated values.
  const field = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const option = shellQuote(`--mount=type=bind,${field(`source=${path}`)},${field(`target=${inside}`)}`);
  const own =
    user.uid === 0
      ? []
      : // The user of the project is root in the container: nobody else has written there yet. Files of a group that does
        // not exist in the container cannot be given away there.
        [
          `  if [ "$(stat -c %u ${quoted})" = "$(id -u)" ]; then chgrp -R -h "$(id -g)" ${quoted}; ${podman(place)} unshare chown -R -h ${user.uid}:${user.gid} ${quoted}; fi`,
        ];
  return [`if [ -e ${quoted} ]; then`, ...own, `  set -- "$@" ${option}`, "fi"];
}
