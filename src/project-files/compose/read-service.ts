import {
  assignment,
  interpolated,
  mebibytes,
  type ReadMap,
  seconds,
  textOf,
  textsOf,
} from "#project-files/compose/values.ts";

/** How a service is built. `dockerfile`: relative to `context`; null: written in the Compose file. */
export type ServiceBuild = {
  readonly context: string;
  readonly dockerfile: string | null;
  readonly target: string | null;
  readonly args: ReadonlyMap<string, string | null>;
  /** The keys that change the image and are not read. */
  readonly others: readonly string[];
};

/** A command: as a line, or as words. */
export type ServiceCommand = string | readonly string[];

/** `source`: a path of the machine, the name of a volume, or null for a volume without a name. */
export type ServiceVolume = {
  readonly source: string | null;
  readonly target: string;
  readonly isReadOnly: boolean;
};

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
  /** What the file says about the values that it does not have, such as an address with a password in a variable. */
  readonly partial: ReadonlyMap<string, string>;
  readonly envFiles: readonly string[];
  readonly volumes: readonly ServiceVolume[];
  readonly instances: number | null;
  readonly memoryMb: number | null;
  readonly stopSignal: string | null;
  readonly stopSeconds: number | null;
  readonly isOnHostNetwork: boolean;
  /** The path of the address that its health check asks at this container; null if it asks none. */
  readonly healthPath: string | null;
  /** The services that must have ended with success before it starts. */
  readonly startsAfter: readonly string[];
  /** It is started only with one of its profiles. */
  readonly hasProfile: boolean;
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
  const resources = read(deploy.get("resources"));
  const limits = read(resources.get("limits"));
  const text = (key: string) => written(fields.get(key));
  const command = fields.get("command");
  const network = text("network_mode");
  const instances = Number(text("scale") ?? written(deploy.get("replicas")) ?? Number.NaN);
  const health = readHealth(fields.get("healthcheck"), read);
  const ports = [...new Set([...portsOf(fields.get("ports"), read), ...portsOf(fields.get("expose"), read)])];
  return {
    name,
    image: text("image"),
    build: readBuild(fields.get("build"), read),
    command: Array.isArray(command)
      ? textsOf(command).map((word) => interpolated(word) ?? unescaped(word))
      : commandLine(textOf(command)),
    ports: ports.length === 0 && health?.port != null ? [health.port] : ports.toSorted(webFirst),
    environment: variablesOf(fields.get("environment"), read),
    partial: partialOf(fields.get("environment"), read),
    envFiles: listOf(fields.get("env_file")).flatMap(
      (one) => written(one) ?? written(read(one).get("path")) ?? [],
    ),
    volumes: listOf(fields.get("volumes")).flatMap((one) => readVolume(one, read) ?? []),
    instances: Number.isInteger(instances) ? instances : null,
    memoryMb: mebibytes(text("mem_limit") ?? written(limits.get("memory"))),
    stopSignal: text("stop_signal"),
    stopSeconds: seconds(text("stop_grace_period")),
    isOnHostNetwork: network === "host",
    healthPath: health?.path ?? null,
    startsAfter: [...read(fields.get("depends_on"))].flatMap(([one, how]) =>
      textOf(read(how).get("condition")) === "service_completed_successfully" ? [one] : [],
    ),
    hasProfile: listOf(fields.get("profiles")).length > 0,
    others: [
      ...[...fields.keys()].filter(
        (key) => !readKeys.has(key) && !key.startsWith("x-") && !isUsual(key, fields.get(key)),
      ),
      ...(network === null || network === "host" || network === "bridge" ? [] : ["network_mode"]),
      ...[...deploy.keys()]
        .filter((key) => key !== "replicas" && key !== "resources" && key !== "restart_policy")
        .map((key) => `deploy.${key}`),
      ...[...limits.keys()]
        .filter((key) => key !== "memory" && written(limits.get(key)) !== "0")
        .map((key) => `deploy.resources.limits.${key}`),
    ],
  };
}

/** A text with the defaults of its variables; as it is if one has no default. */
function written(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : (interpolated(text) ?? text);
}

/** 443 is for TLS, which the ingress of the server terminates. */
function webFirst(one: number, other: number): number {
  return Number(one === 443) - Number(other === 443);
}

const HERE = String.raw`(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])`;
const PORT = String.raw`:(\d{1,5})`;
/** An address of the container by HTTP, with its port and path. Without `http://`, it has a port, so that it is no name of a host. */
const ADDRESS = new RegExp(
  String.raw`(?<![\w/])(?:http://${HERE}(?:${PORT})?|${HERE}${PORT})(/[\w./~-]*)?(?![\w$:{/])`,
);

/** The port and the path in a health check such as `curl --fail http://localhost:3000/up`. */
function readHealth(
  value: unknown,
  read: ReadMap,
): { readonly port: number | null; readonly path: string } | null {
  const words = textsOf(read(value).get("test")).map((word) => interpolated(word) ?? unescaped(word));
  const line = words.join(" ");
  const found = /http:\/\/|\b(?:curl|wget)\b/.test(line) ? ADDRESS.exec(line) : null;
  if (found === null) return null;
  const port = found[1] ?? found[2];
  return { port: port === undefined ? null : Number(port), path: found[3] ?? "/" };
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

/** The keys of a build that change the image, and are not read. */
const changing = [
  "additional_contexts",
  "secrets",
  "ssh",
  "extra_hosts",
  "network",
  "privileged",
  "entitlements",
];

function readBuild(value: unknown, read: ReadMap): ServiceBuild | null {
  const context = written(value);
  if (context !== null)
    return { context, dockerfile: "Dockerfile", target: null, args: new Map(), others: [] };
  const fields = read(value);
  if (fields.size === 0) return null;
  return {
    context: written(fields.get("context")) ?? ".",
    dockerfile: fields.has("dockerfile_inline") ? null : (written(fields.get("dockerfile")) ?? "Dockerfile"),
    target: written(fields.get("target")),
    args: variablesOf(fields.get("args"), read),
    others: changing.filter((key) => fields.has(key)),
  };
}

/** Compose replaces `$$` in commands; `$NAME` is left to the shell that runs the line. */
const unescaped = (text: string): string => text.replaceAll("$$", "$");

function commandLine(text: string | null): string | null {
  const line = text === null ? "" : unescaped(text).trim();
  return line === "" ? null : line;
}

/** The value of a variable; null if the file does not say it, as with an empty default (`${NAME:-}`). */
function valueOf(text: string): string | null {
  const value = interpolated(text);
  return value === "" && text !== "" ? null : value;
}

/** The variables of a map, or of a list of `NAME=value`; null: the value is not in the file. */
function assignmentsOf(value: unknown, read: ReadMap): readonly (readonly [string, string | null])[] {
  if (!Array.isArray(value)) return [...read(value)].map(([name, one]) => [name, textOf(one)]);
  return textsOf(value).map(assignment);
}

function variablesOf(value: unknown, read: ReadMap): ReadonlyMap<string, string | null> {
  return new Map(
    assignmentsOf(value, read).map(([name, text]) => [name, text === null ? null : valueOf(text)]),
  );
}

function partialOf(value: unknown, read: ReadMap): ReadonlyMap<string, string> {
  return new Map(
    assignmentsOf(value, read).flatMap(([name, text]) =>
      text === null || valueOf(text) !== null ? [] : [[name, text.replace(/\$\{[^{}]*\}|\$\w+/g, "x")]],
    ),
  );
}

/** The ports of the container: `3000`, `8080:3000`, `127.0.0.1:8080:3000/tcp`, `{ target: 3000 }`. */
function portsOf(value: unknown, read: ReadMap): readonly number[] {
  return listOf(value).flatMap((one) => {
    const fields = read(one);
    const text = written(one) ?? written(fields.get("target")) ?? "";
    const protocol = textOf(fields.get("protocol")) ?? /\/(\w+)$/.exec(text)?.[1] ?? "tcp";
    const [, port] = /(?:^|:)(\d{1,5})(?:-\d{1,5})?(?:\/\w+)?$/.exec(text) ?? [];
    const number = Number(port);
    return protocol === "tcp" && number >= 1 && number <= 65_535 ? [number] : [];
  });
}

/** `data:/app/data`, `./files:/app/files:ro`, `/app/node_modules`, or the same as a map. Null: one in memory. */
function readVolume(value: unknown, read: ReadMap): ServiceVolume | null {
  const text = written(value);
  if (text !== null) {
    // A source may have a variable with a colon: `${DATA:-./data}:/app/data`.
    const [, source, target, mode = ""] = /^(.+?):(\/[^:]*)(?::([\w,]*))?$/.exec(text) ?? [];
    return source === undefined || target === undefined
      ? { source: null, target: text, isReadOnly: false }
      : { source, target, isReadOnly: mode.split(",").includes("ro") };
  }
  const fields = read(value);
  const target = written(fields.get("target"));
  if (target === null || textOf(fields.get("type")) === "tmpfs") return null;
  return { source: written(fields.get("source")), target, isReadOnly: fields.get("read_only") === true };
}
