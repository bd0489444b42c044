import type { Service } from "#project-files/compose/read-service.ts";

/** What is not taken from a Compose file. `services`: whose it is; none for the whole file. `advice`: what to do, or why. */
export type Untaken = {
  readonly what: string;
  readonly services: readonly string[];
  readonly advice: string;
};

const RIGHTS = "containers get no further rights on the server";
const NETWORK =
  "each container has a network of its own; the field network of a process, with the value host, gives it the server's";
const SECRETS = "set secrets as variables, with gantry variables set --secret NAME";

/** What to do about the keys that people use most. */
const advices: Readonly<Record<string, string>> = {
  depends_on: "all processes start at the same time: let the app try again until what it needs answers",
  networks: NETWORK,
  network_mode: NETWORK,
  links: NETWORK,
  external_links: NETWORK,
  extra_hosts: NETWORK,
  dns: NETWORK,
  privileged: RIGHTS,
  cap_add: RIGHTS,
  devices: RIGHTS,
  security_opt: RIGHTS,
  sysctls: RIGHTS,
  pid: RIGHTS,
  ipc: RIGHTS,
  userns_mode: RIGHTS,
  group_add: RIGHTS,
  healthcheck: "set a path that must answer, with gantry projects set --health-check PATH",
  entrypoint: "the image says it: write it into its Dockerfile as ENTRYPOINT",
  user: "the image says it: write it into its Dockerfile as USER",
  working_dir: "the image says it: write it into its Dockerfile as WORKDIR",
  secrets: SECRETS,
  configs: SECRETS,
  extends: "what it extends is in another file: copy its fields into the service",
  include: "the files that it includes are not read: run gantry import compose FILE for each of them",
  profiles: "all processes of a project run: remove from gantry.json what should not",
  restart: "instances that end are started again: run a command once as release_command or with gantry run",
  logging: "the output is shown by gantry logs --app",
  labels: "labels have no effect: the domain is a setting of the project",
  platform: "the image is built for the platform of the server",
  tty: "processes have no terminal: use gantry run",
  stdin_open: "processes have no terminal: use gantry run",
  develop: "it is for development only",
  hostname: "a container has the name that the engine gives it",
  volumes_from: "all processes of a project have its shared paths",
  tmpfs: "a container may write everywhere, and starts empty",
  ulimits: "the fields memory_mb and tasks of a process limit it",
  cpus: "the field cpu_weight of a process shares the CPU",
  "deploy.resources.limits.cpus": "the field cpu_weight of a process shares the CPU",
  "deploy.resources.limits.pids": "the field tasks of a process limits them",
  "build.secrets": "set them with gantry variables set --secret NAME --build",
  "build.additional_contexts": "an image is built from one directory: set it as context of dockerfile",
};

/** What to print about services that run only with a profile, beside others without one. @param names of the services */
export function untakenOptional(names: readonly string[]): readonly Untaken[] {
  if (names.length === 0) return [];
  return [
    {
      what: "profiles",
      services: names,
      advice: "they run only with a profile: add them as processes if they should always run",
    },
  ];
}

/** The keys of all services and of the file that are not taken, each once. */
export function untakenKeys(services: readonly Service[], ofFile: readonly string[]): readonly Untaken[] {
  const byKey = new Map<string, string[]>(ofFile.map((key) => [key, []]));
  for (const { name, others, build } of services)
    for (const key of new Set([...others, ...(build?.others ?? []).map((one) => `build.${one}`)]))
      byKey.set(key, [...(byKey.get(key) ?? []), name]);
  return [...byKey].map(([what, names]) => ({
    what,
    services: names,
    advice: (Object.hasOwn(advices, what) ? advices[what] : undefined) ?? "it has no setting here",
  }));
}
