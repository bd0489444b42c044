import { literal, mebibytes, type ReadMap, seconds, textOf, textsOf } from "#project-files/compose/values.ts";

/** How a service is built. `dockerfile`: relative to `context`; null: written in the Compose file. */
export type ServiceBuild = {
  readonly context: string;
  readonly dockerfile: string | null;
  readonly target: string | null;
  readonly args: ReadonlyMap<string, string | null>;
};

/** A command: as a line, or as words. */
export type ServiceCommand = string | readonly string[];

/** `source`: a path of the machine, the name of a volume, or null for a volume without a name. */
export type ServiceVolume = { readonly source: string | null; readonly target: string };

/** A service of a Compose file, as far as Gantry can use it. */
export type Service = {
  readonly name: string;
  readonly image: string | null;
  readonly build: ServiceBuild | null;
  readonly command: ServiceCommand | null;
  /** The ports of the container, in the order in which they are named. */
  readonly ports: readonly number[];
  /** Null: the value is not in the file. */
  readonly environment: ReadonlyMap<string, string | null>;
  readonly envFiles: readonly string[];
  readonly volumes: readonly ServiceVolume[];
  readonly instances: number | null;
  readonly memoryMb: number | null;
  readonly stopSignal: string | null;
  readonly stopSeconds: number | null;
  readonly isOnHostNetwork: boolean;
  /** The keys with a value that means something and is not read. */
  readonly others: readonly string[];
};

/** Keys that are read, or that say what is so anyway. */
const readKeys: ReadonlySet<string> = new Set([
  ...[
    "image",
    "build",
    "command",
    "ports",
    "expose",
    "environment",
    "env_file",
    "volumes",
    "scale",
    "deploy",
  ],
  ...[
    "mem_limit",
    "stop_signal",
    "stop_grace_period",
    "network_mode",
    "container_name",
    "init",
    "pull_policy",
  ],
]);

export function readService(name: string, value: unknown, read: ReadMap): Service {
  const fields = read(value);
  const deploy = read(fields.get("deploy"));
  const limits = read(read(deploy.get("resources")).get("limits"));
  const text = (key: string) => textOf(fields.get(key));
  const command = fields.get("command");
  const network = text("network_mode");
  const instances = Number(text("scale") ?? textOf(deploy.get("replicas")) ?? Number.NaN);
  return {
    name,
    image: text("image"),
    build: readBuild(fields.get("build"), read),
    command: Array.isArray(command) ? textsOf(command).map(unescaped) : commandLine(textOf(command)),
    ports: [...new Set([...portsOf(fields.get("ports"), read), ...portsOf(fields.get("expose"), read)])],
    environment: variablesOf(fields.get("environment"), read),
    envFiles: listOf(fields.get("env_file")).flatMap(
      (one) => textOf(one) ?? textOf(read(one).get("path")) ?? [],
    ),
    volumes: listOf(fields.get("volumes")).flatMap((one) => readVolume(one, read) ?? []),
    instances: Number.isInteger(instances) ? instances : null,
    memoryMb: mebibytes(text("mem_limit") ?? textOf(limits.get("memory"))),
    stopSignal: text("stop_signal"),
    stopSeconds: seconds(text("stop_grace_period")),
    isOnHostNetwork: network === "host",
    others: [
      ...[...fields.keys()].filter(
        (key) => !readKeys.has(key) && !key.startsWith("x-") && !isUsual(key, fields.get(key)),
      ),
      ...(network === null || network === "host" || network === "bridge" ? [] : ["network_mode"]),
      ...[...deploy.keys()]
        .filter((key) => key !== "replicas" && key !== "resources" && key !== "restart_policy")
        .map((key) => `deploy.${key}`),
    ],
  };
}

/** Values that say what Gantry does anyway. */
function isUsual(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  return key === "restart" && value !== "no" && value !== "none";
}

function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function readBuild(value: unknown, read: ReadMap): ServiceBuild | null {
  const context = textOf(value);
  if (context !== null) return { context, dockerfile: "Dockerfile", target: null, args: new Map() };
  const fields = read(value);
  if (fields.size === 0) return null;
  return {
    context: textOf(fields.get("context")) ?? ".",
    dockerfile: fields.has("dockerfile_inline") ? null : (textOf(fields.get("dockerfile")) ?? "Dockerfile"),
    target: textOf(fields.get("target")),
    args: variablesOf(fields.get("args"), read),
  };
}

/** Compose replaces `$$` in commands; `$NAME` is left to the shell that runs the line. */
const unescaped = (text: string): string => text.replaceAll("$$", "$");

function commandLine(text: string | null): string | null {
  const line = text === null ? "" : unescaped(text).trim();
  return line === "" ? null : line;
}

/** `NAME: value`, or a list of `NAME=value`. A name alone has its value from the machine. */
function variablesOf(value: unknown, read: ReadMap): ReadonlyMap<string, string | null> {
  if (!Array.isArray(value))
    return new Map(
      [...read(value)].map(([name, one]) => {
        const text = textOf(one);
        return [name, text === null ? null : literal(text)];
      }),
    );
  return new Map(
    textsOf(value).map((line) => {
      const at = line.indexOf("=");
      return at === -1 ? [line, null] : [line.slice(0, at), literal(line.slice(at + 1))];
    }),
  );
}

/** The ports of the container: `3000`, `8080:3000`, `127.0.0.1:8080:3000/tcp`, `{ target: 3000 }`. */
function portsOf(value: unknown, read: ReadMap): readonly number[] {
  return listOf(value).flatMap((one) => {
    const fields = read(one);
    const text = textOf(one) ?? textOf(fields.get("target")) ?? "";
    const protocol = textOf(fields.get("protocol")) ?? /\/(\w+)$/.exec(text)?.[1] ?? "tcp";
    const [, port] = /(?:^|:)(\d{1,5})(?:-\d{1,5})?(?:\/\w+)?$/.exec(text) ?? [];
    const number = Number(port);
    return protocol === "tcp" && number >= 1 && number <= 65_535 ? [number] : [];
  });
}

/** `data:/app/data`, `./files:/app/files:ro`, `/app/node_modules`, or the same as a map. Null: one in memory. */
function readVolume(value: unknown, read: ReadMap): ServiceVolume | null {
  const text = textOf(value);
  if (text !== null) {
    // A source may have a variable with a colon: `${DATA:-./data}:/app/data`.
    const [, source, target] = /^(.+?):(\/[^:]*)(?::[\w,]*)?$/.exec(text) ?? [];
    return source === undefined || target === undefined ? { source: null, target: text } : { source, target };
  }
  const fields = read(value);
  const target = textOf(fields.get("target"));
  if (target === null || textOf(fields.get("type")) === "tmpfs") return null;
  return { source: textOf(fields.get("source")), target };
}
