import { ProcessFields, StopSignal } from "#contract/endpoints/processes/process-settings.ts";
import { ProcessName, WEB } from "#contract/endpoints/processes/schemas.ts";
import { DEFAULT_DOCKERFILE, DOCKERFILE } from "#contract/endpoints/projects/settings.ts";
import type { ComposeFile } from "#project-files/compose/read-compose.ts";
import type { Service, ServiceCommand } from "#project-files/compose/read-service.ts";
import { type ComposeRoles, type PulledImage, rolesOf } from "#project-files/compose/roles.ts";
import { type SharedVolumes, sharedVolumes } from "#project-files/compose/shared-volumes.ts";
import { type Untaken, untakenKeys, untakenOptional } from "#project-files/compose/untaken.ts";
import { type ComposeVariables, variablesOf } from "#project-files/compose/variables.ts";
import type { GantryJson } from "#project-files/processes/read-gantry-json.ts";

/** What a Compose file becomes in Gantry. */
export type ComposeImport = {
  readonly roles: ComposeRoles;
  /** The gantry.json to write into the root directory; null if there is nothing to build. */
  readonly gantryJson: GantryJson | null;
  /** The settings of a project that runs an image of a registry; null for others. */
  readonly project: PulledProject | null;
  /** The path that must answer before visitors reach the app; null if the file names none. */
  readonly healthCheck: string | null;
  readonly sharedPaths: readonly string[];
  readonly variables: ComposeVariables;
  /** What is not taken, and what to do instead. */
  readonly untaken: readonly Untaken[];
};

/** Settings of a project that runs an image. There is no gantry.json for it. */
export type PulledProject = {
  readonly name: string;
  readonly image: PulledImage;
  readonly processes: Processes;
  readonly releaseCommand: string | null;
};

/** What is known besides the Compose file. */
export type ComposePlace = {
  /** The folder of the Compose file, relative to the root directory; empty: the root directory. */
  readonly folder: string;
  /** The folder in which the program of the image starts; null if it is unknown. */
  readonly workdir: string | null;
  /** Whether a path has files of the repository. @param source as a volume has it, relative to the folder of the Compose file */
  readonly isCommitted: (source: string) => boolean;
  /** Writes words as a line for a shell. */
  readonly lineOf: (words: readonly string[]) => string;
};

/** Translates a Compose file into the settings of a project. */
export function importCompose({ services, others }: ComposeFile, place: ComposePlace): ComposeImport {
  const roles = rolesOf(services, place.folder);
  const { image, pulled, processes } = roles;
  const releases = releasesOf(processes, services);
  const running = processes.filter((service) => !releases.includes(service));
  const volumes: SharedVolumes = sharedVolumes(running, place.workdir, place.isCommitted);
  const written = processesOf(running, place.lineOf);
  const releaseCommand = releases.map(({ command }) => commandOf(command, place.lineOf)).join(" && ") || null;
  const elsewhere = [...roles.databases, ...roles.proxies, ...roles.foreign, ...roles.others];
  const variables = variablesOf(
    processes,
    elsewhere.map(({ name }) => name),
  );
  const [web] = running;
  const gantryJson: GantryJson | null =
    image === null
      ? null
      : {
          framework: DOCKERFILE,
          ...(image.path === DEFAULT_DOCKERFILE && image.context === "." && image.target === null
            ? {}
            : {
                dockerfile: {
                  path: image.path,
                  context: image.context,
                  ...(image.target === null ? {} : { target: image.target }),
                },
              }),
          processes: written.processes,
          ...(releaseCommand === null ? {} : { release_command: releaseCommand }),
        };
  return {
    roles,
    gantryJson,
    project:
      pulled === null || web === undefined
        ? null
        : { name: web.name, image: pulled, processes: written.processes, releaseCommand },
    healthCheck: web?.healthPath ?? null,
    sharedPaths: volumes.paths,
    variables: { ...variables, files: variables.files.map((path) => inFolder(place.folder, path)) },
    untaken: [
      ...written.untaken,
      ...volumes.untaken,
      ...untakenOptional(roles.optional),
      ...untakenKeys(
        processes.map((service) => withoutTaken(service, service === web, releases.includes(service))),
        others,
      ),
    ],
  };
}

/** The services that end before others start, such as a migration of the database: they become the release command. */
function releasesOf(processes: readonly Service[], all: readonly Service[]): readonly Service[] {
  const before = new Set(all.flatMap(({ startsAfter }) => startsAfter));
  return processes.filter(({ name, command }, at) => at > 0 && command !== null && before.has(name));
}

/** Without the health check that became the project's, and without the end of what runs once. */
function withoutTaken(service: Service, isWeb: boolean, isRelease: boolean): Service {
  const taken = [
    ...(isWeb && service.healthPath !== null ? ["healthcheck"] : []),
    ...(isRelease ? ["restart"] : []),
  ];
  return { ...service, others: service.others.filter((key) => !taken.includes(key)) };
}

/** A path of a Compose file, from the root directory. */
function inFolder(folder: string, path: string): string {
  const tidy = path.replace(/^(?:\.\/)+/, "");
  return folder === "" || path.startsWith("/") ? tidy : `${folder}/${tidy}`;
}

type Processes = NonNullable<GantryJson["processes"]>;
type Written = { readonly processes: Processes; readonly untaken: readonly Untaken[] };

/** The processes of services with one image, the first of which is `web`. */
function processesOf(services: readonly Service[], lineOf: ComposePlace["lineOf"]): Written {
  const processes = new Map<string, Processes[string]>();
  const untaken: Untaken[] = [];
  for (const [at, service] of services.entries()) {
    const name = at === 0 ? WEB : processName(service.name);
    const add = (what: string, advice: string) => untaken.push({ what, services: [service.name], advice });
    const command = commandOf(service.command, lineOf);
    if (name === null || processes.has(name)) {
      add(
        "its name",
        "write the process into gantry.json with a name of lower-case letters, digits, hyphens and underscores",
      );
      continue;
    }
    if (at > 0 && command === null) {
      add(
        "a process without a command",
        `write its command into gantry.json: only ${WEB} has the command of the image`,
      );
      continue;
    }
    if (at === 0 && service.name !== WEB)
      add("its name", `visitors reach the process ${WEB}, so it is named ${WEB}`);
    const [port, ...more] = service.ports;
    if (at > 0 && port !== undefined)
      add("ports", `visitors reach only ${WEB}: make it a project of its own if they should reach it too`);
    if (at === 0 && more.length > 0)
      add(`the ports ${more.join(", ")}`, `visitors reach one port, which is ${port}`);
    const fields: Record<string, unknown> = {
      command,
      instances: service.instances,
      container_port: at === 0 ? port : null,
      memory_mb: service.memoryMb,
      stop_signal: signalOf(service.stopSignal),
      stop_seconds: service.stopSeconds,
      network: service.isOnHostNetwork ? "host" : null,
    };
    const usable = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
    for (const [field, value] of usable)
      if (!Object.hasOwn(ProcessFields.shape, field) || !isValid(field, value))
        add(`${field} ${String(value).slice(0, 60)}`, "its value is not possible here");
    processes.set(name, Object.fromEntries(usable.filter(([field, value]) => isValid(field, value))));
  }
  return { processes: Object.fromEntries(processes), untaken };
}

function isValid(field: string, value: unknown): boolean {
  const schemas = new Map(Object.entries(ProcessFields.shape));
  return schemas.get(field)?.safeParse(value).success === true;
}

/** A service's name as a process's; null if nothing of it is left. */
function processName(name: string): string | null {
  const tidy = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 30);
  return tidy !== WEB && ProcessName.safeParse(tidy).success ? tidy : null;
}

function commandOf(command: ServiceCommand | null, lineOf: ComposePlace["lineOf"]): string | null {
  const line = typeof command === "string" ? command : lineOf(command ?? []);
  return line === "" ? null : line;
}

/** `INT` and `SIGINT` are the same. */
function signalOf(signal: string | null): string | null {
  if (signal === null) return null;
  const name = signal.toUpperCase();
  return StopSignal.options.find((one) => one === name || one === `SIG${name}`) ?? signal;
}
