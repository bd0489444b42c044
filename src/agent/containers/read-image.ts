import * as z from "zod/mini";

import { USERS } from "#agent/containers/build-script.ts";
import { ImageId, type ReleaseImage } from "#agent/workspace/release-image.ts";
import { StopSignal } from "#contract/endpoints/processes/process-settings.ts";
import { serverPlatform } from "#agent/containers/server-platform.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { shellWord } from "#node/shell-quote.ts";

const Words = z.nullish(z.array(z.string()));

/** What podman prints of an image. The project's own files decide what is in it, so it is checked. */
const Inspected = z.tuple([
  z.object({
    Id: ImageId,
    Size: z.number(),
    Architecture: z.optional(z.string()),
    Config: z.object({
      User: z.optional(z.string()),
      ExposedPorts: z.nullish(z.record(z.string(), z.unknown())),
      Entrypoint: Words,
      Cmd: Words,
      WorkingDir: z.optional(z.string()),
      StopSignal: z.optional(z.string()),
    }),
  }),
]);

type Image = Omit<ReleaseImage, "key" | "checked" | "shared_paths">;

/** The largest id of a user in a container: each project has 65,536. */
const MAX_ID = 65_535;

/** Reads the output of `inspectCommand`. @param output its standard output */
export function readImage(output: string): ResultOf<Image, { readonly reason: string }> {
  const [described = "", users = ""] = output.split(`${USERS}\n`);
  const read = Inspected.safeParse(parse(described));
  if (!read.success) return { ok: false, reason: "the image cannot be read" };
  const [{ Id: id, Size: bytes, Config: config, Architecture: platform }] = read.data;
  const own = serverPlatform();
  if (own !== null && platform !== undefined && platform !== "" && platform !== own)
    return {
      ok: false,
      reason: `the image is for the processor ${platform}, and this server has ${own}: build it for linux/${own}`,
    };
  const user = readUser(config.User ?? "", users);
  if (!user.ok) return user;
  const words = [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])];
  const command = words.length === 0 ? null : words.map(shellWord).join(" ");
  if (command !== null && !ShellCommand.safeParse(command).success)
    return {
      ok: false,
      reason: "the command of the image, ENTRYPOINT and CMD, is longer than 8192 characters",
    };
  const directory = config.WorkingDir ?? "/";
  if (!directory.startsWith("/"))
    return { ok: false, reason: "the working directory of the image is not an absolute path" };
  const signal = StopSignal.safeParse(signalName(config.StopSignal ?? ""));
  return succeed({
    ...{ id, bytes, command, directory, user: user.value },
    ports: Object.keys(config.ExposedPorts ?? {}).flatMap(portOf),
    ...(signal.success ? { stop_signal: signal.data } : {}),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `3000/tcp` and `3000` are TCP ports. A range is none: nobody knows which of its ports the app uses. */
function portOf(text: string): readonly number[] {
  const port = Number(/^(\d{1,5})(?:\/tcp)?$/.exec(text)?.[1] ?? 0);
  return port >= 1 && port <= 65_535 ? [port] : [];
}

/** The signals by their numbers, as some Dockerfiles name them. */
const numbers = new Map([
  ["1", "SIGHUP"],
  ["2", "SIGINT"],
  ["3", "SIGQUIT"],
  ["10", "SIGUSR1"],
  ["12", "SIGUSR2"],
  ["15", "SIGTERM"],
]);

function signalName(text: string): string {
  return numbers.get(text) ?? (text.startsWith("SIG") ? text : `SIG${text}`);
}

/** The ids of a user that is named as Dockerfiles do: `app`, `1000`, `1000:1000`, `app:www-data`. */
function readUser(text: string, users: string): ResultOf<ReleaseImage["user"], { readonly reason: string }> {
  const [name = "", group] = text.split(":");
  const lines = users.split("\n");
  const find = (key: string, at: number) =>
    lines.map((line) => line.split(":")).find((fields) => !isGroup(fields) && fields[at] === key);
  const entry = name === "" ? undefined : find(name, /^\d+$/.test(name) ? 2 : 0);
  const uid = name === "" ? 0 : /^\d+$/.test(name) ? Number(name) : idOf(entry?.[2]);
  const gid = group === undefined || group === "" ? (idOf(entry?.[3]) ?? 0) : groupId(group, lines);
  if (uid === null)
    return { ok: false, reason: `the image runs as the user ${name}, which it does not have` };
  if (gid === null)
    return { ok: false, reason: `the image runs with the group ${group}, which it does not have` };
  if (uid > MAX_ID || gid > MAX_ID)
    return {
      ok: false,
      reason: `the image runs as the user ${text}, but containers have the ids 0 to ${MAX_ID}`,
    };
  return succeed({ uid, gid });
}

const isGroup = (fields: readonly string[]) => fields[0] === "group" && fields.length === 5;

function groupId(group: string, lines: readonly string[]): number | null {
  if (/^\d+$/.test(group)) return Number(group);
  const found = lines.map((line) => line.split(":")).find((fields) => isGroup(fields) && fields[1] === group);
  return idOf(found?.[3]);
}

function idOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : null;
}
