import { type ResultOf, succeed } from "#contract/lib/result.ts";
import type { Instruction, Instructions } from "#project-files/dockerfile/split-instructions.ts";
import { expand, splitFlags, splitWords, unquote } from "#project-files/dockerfile/words.ts";

/** How an image is started: `exec` with these words, `shell` by `/bin/sh -c`. */
export type StartCommand =
  | { readonly kind: "exec"; readonly words: readonly string[] }
  | { readonly kind: "shell"; readonly line: string };

/** A stage of a Dockerfile: a FROM and the instructions after it. */
export type Stage = {
  /** Its name after AS, in lower case; null if it has none. */
  readonly name: string | null;
  /** Where its FROM is. */
  readonly line: number;
  /** What it is based on, as it is written. */
  readonly image: string;
  /** The earlier stage that it continues; null if it is based on an image. */
  readonly parent: number | null;
  /** The earlier stages that it continues or takes files from. */
  readonly needs: readonly number[];
  /** The images that it takes files from. */
  readonly sources: readonly string[];
  /** The variables that it takes, with their defaults. */
  readonly args: ReadonlyMap<string, string | null>;
  /** The TCP ports that it exposes itself. A port in a variable without a default is unknown, and left out. */
  readonly ports: readonly number[];
  /** The ids of the secrets that its RUN mount. */
  readonly secrets: readonly string[];
  /** The folders for files that are kept (VOLUME). Unknown paths are left out. */
  readonly volumes: readonly string[];
  readonly entrypoint: StartCommand | null;
  readonly command: StartCommand | null;
  readonly user: string | null;
  /** The folder in which its program starts; null if only the base image says it. */
  readonly workdir: string | null;
};

/** Variables with their defaults as they are written, in their order; null: none. */
export type WrittenArgs = readonly (readonly [name: string, value: string | null])[];

/** The stages, and the variables before the first one. */
export type Stages = {
  readonly stages: readonly Stage[];
  readonly args: ReadonlyMap<string, string | null>;
  readonly writtenArgs: WrittenArgs;
};

/** What is wrong with a line, as the object of a sentence. */
export type WrongLine = { readonly line: number; readonly what: string };

type Draft = {
  -readonly [Key in keyof Stage]: Stage[Key] extends readonly (infer Item)[] ? Item[] : Stage[Key];
} & {
  readonly args: Map<string, string | null>;
  /** The variables that instructions see. */
  readonly values: Map<string, string | null>;
};

/** No Dockerfile has more. */
const MAX_STAGES = 200;
/** A longer value is neither a port nor an image. Values that contain others could grow without end. */
const MAX_VALUE = 300;
/** No image exposes more ports, or has more volumes, on purpose. */
const MAX_PORTS = 100;

/** Reads the stages of a Dockerfile. */
export function readStages({ all, escape }: Instructions): ResultOf<Stages, { readonly problem: WrongLine }> {
  const args = new Map<string, string | null>();
  const writtenArgs: WrittenArgs[number][] = [];
  const stages: Draft[] = [];
  for (const instruction of all) {
    const { name, line } = instruction;
    const stage = stages.at(-1);
    if (name === "FROM") {
      const begun = beginStage(instruction, escape, stages);
      if (begun === null) return wrong(line, "a FROM without an image");
      if (stages.push(begun) > MAX_STAGES)
        return wrong(line, `one stage too many: at most ${MAX_STAGES} are read`);
    } else if (stage !== undefined) readInto(stage, stages, args, instruction, escape);
    else if (name === "ARG") {
      readArgs(instruction.text, escape, args, args, args);
      writtenArgs.push(...argsIn(instruction.text, escape));
    } else return wrong(line, "an instruction before the first FROM, where only ARG may be");
  }
  return succeed({ stages, args, writtenArgs });
}

function wrong(line: number, what: string): { readonly ok: false; readonly problem: WrongLine } {
  return { ok: false, problem: { line, what } };
}

/** `FROM --platform=linux/amd64 node:24 AS build` */
function beginStage({ text, line }: Instruction, escape: string, earlier: readonly Draft[]): Draft | null {
  const [image, as, name] = splitWords(splitFlags(text, escape).rest, escape).map((word) =>
    unquote(word, escape),
  );
  if (image === undefined || image === "") return null;
  const parent = earlier.findLastIndex((stage) => stage.name !== null && stage.name === image.toLowerCase());
  return {
    name: as?.toLowerCase() === "as" && name !== undefined && name !== "" ? name.toLowerCase() : null,
    line,
    image,
    parent: parent === -1 ? null : parent,
    needs: parent === -1 ? [] : [parent],
    sources: [],
    args: new Map(),
    ports: [],
    secrets: [],
    volumes: [],
    entrypoint: null,
    command: null,
    user: null,
    workdir: earlier[parent]?.workdir ?? null,
    values: new Map(earlier[parent]?.values),
  };
}

function readInto(
  stage: Draft,
  stages: readonly Draft[],
  globals: ReadonlyMap<string, string | null>,
  { name, text, line }: Instruction,
  escape: string,
): void {
  switch (name) {
    case "ARG":
      readArgs(text, escape, stage.args, stage.values, globals);
      return;
    case "ENV":
      readEnv(text, escape, stage.values);
      return;
    case "EXPOSE":
      for (const word of splitWords(text, escape))
        if (stage.ports.length < MAX_PORTS)
          stage.ports.push(...portsOf(expand(unquote(word, escape), stage.values)));
      return;
    case "CMD":
      stage.command = readStart(text);
      return;
    case "ENTRYPOINT":
      stage.entrypoint = readStart(text);
      return;
    case "USER":
      stage.user = expand(unquote(text.trim(), escape), stage.values) ?? text.trim();
      return;
    case "WORKDIR":
      stage.workdir = folderIn(stage.workdir, expand(unquote(text.trim(), escape), stage.values));
      return;
    case "VOLUME":
      for (const word of volumeWords(text, escape)) {
        const folder = folderIn(stage.workdir, expand(word, stage.values));
        if (folder !== null && stage.volumes.length < MAX_PORTS) stage.volumes.push(folder);
      }
      return;
    case "COPY":
      for (const flag of splitFlags(text, escape).flags)
        if (flag.startsWith("--from=")) takeFrom(stage, stages, flag.slice("--from=".length));
      return;
    case "RUN":
      for (const flag of splitFlags(text, escape).flags)
        if (flag.startsWith("--mount=")) readMount(stage, stages, flag.slice("--mount=".length));
      return;
    case "ONBUILD": {
      // It runs in a stage that continues this one.
      const [, inner = "", rest = ""] = /^(COPY|RUN)\s+([^]*)$/i.exec(text.trim()) ?? [];
      if (inner !== "")
        readInto(stage, stages, globals, { name: inner.toUpperCase(), text: rest, line }, escape);
      return;
    }
    default:
  }
}

/** `ARG NAME other="value"` */
function readArgs(
  text: string,
  escape: string,
  args: Map<string, string | null>,
  values: Map<string, string | null>,
  globals: ReadonlyMap<string, string | null>,
): void {
  for (const [name, written] of argsIn(text, escape)) {
    const value = written === null ? (globals.get(name) ?? null) : shortValue(written, values);
    args.set(name, value);
    // ENV wins over ARG.
    if (args === values || (values.get(name) ?? null) === null) values.set(name, value);
  }
}

function argsIn(text: string, escape: string): WrittenArgs {
  return splitWords(text, escape).flatMap((word) => {
    const [, name, value = null] = /^([A-Za-z_]\w*)(?:=([^]*))?$/.exec(unquote(word, escape)) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
}

/** The values of the variables before the first FROM in a build. @param given the values that are passed to it */
export function argValues(
  written: WrittenArgs,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string | null> {
  const values = new Map<string, string | null>();
  for (const [name, value] of written)
    values.set(name, given[name] ?? (value === null ? null : shortValue(value, values)));
  return values;
}

/** `ENV NAME=value OTHER=value`, or `ENV NAME value` */
function readEnv(text: string, escape: string, values: Map<string, string | null>): void {
  const words = splitWords(text, escape).map((word) => unquote(word, escape));
  const [first = ""] = words;
  if (!first.includes("=")) {
    if (first !== "") values.set(first, shortValue(words.slice(1).join(" "), values));
    return;
  }
  // All values of a line see the variables before it.
  const read = words.flatMap((word): [string, string | null][] => {
    const at = word.indexOf("=");
    return at > 0 ? [[word.slice(0, at), shortValue(word.slice(at + 1), values)]] : [];
  });
  for (const [name, value] of read) values.set(name, value);
}

function shortValue(text: string, values: ReadonlyMap<string, string | null>): string | null {
  const value = text.length > MAX_VALUE ? null : expand(text, values);
  return value === null || value.length > MAX_VALUE ? null : value;
}

/** A folder of an image; null if it is unknown. @param path relative to `from`, unless it is absolute */
function folderIn(from: string | null, path: string | null): string | null {
  if (path === null || path === "") return null;
  if (!path.startsWith("/") && from === null) return null;
  const parts = (path.startsWith("/") ? path : `${from ?? ""}/${path}`).split("/");
  const folder = `/${parts.filter((part) => part !== "" && part !== ".").join("/")}`;
  return parts.includes("..") || folder.length > MAX_VALUE ? null : folder;
}

/** `3000`, `3000/tcp` or `3000-3005`. Others are not published. */
function portsOf(word: string | null): readonly number[] {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/tcp)?$/i.exec(word ?? "") ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (!(first >= 1 && last >= first && last <= 65_535)) return [];
  return Array.from({ length: Math.min(last - first + 1, MAX_PORTS) }, (_, at) => first + at);
}

/** A list in JSON is started as it is, any other text by a shell. */
function readStart(text: string): StartCommand {
  const line = text.trim();
  if (line.startsWith("["))
    try {
      const words: unknown = JSON.parse(line);
      if (Array.isArray(words) && words.every((word) => typeof word === "string"))
        return { kind: "exec", words };
    } catch {
      // As Docker: what is no list in JSON is a line for the shell.
    }
  return { kind: "shell", line };
}

/** `VOLUME /data /logs`, or `VOLUME ["/data"]` */
function volumeWords(text: string, escape: string): readonly string[] {
  const list = readStart(text);
  return list.kind === "exec" ? list.words : splitWords(text, escape).map((word) => unquote(word, escape));
}

/** A stage by its name or number, or otherwise an image. */
function takeFrom(stage: Draft, stages: readonly Draft[], name: string): void {
  const earlier = stages.slice(0, -1);
  const named = earlier.findLastIndex((one) => one.name !== null && one.name === name.toLowerCase());
  const number = /^\d{1,6}$/.test(name) && Number(name) < earlier.length ? Number(name) : -1;
  const at = named === -1 ? number : named;
  if (at !== -1) stage.needs.push(at);
  else if (name !== "") stage.sources.push(name);
}

/** `type=secret,id=TOKEN`, or `type=bind,from=build` */
function readMount(stage: Draft, stages: readonly Draft[], text: string): void {
  const fields = new Map(
    text.split(",").map((field) => {
      const [, key = "", value = ""] = /^\s*([^=]*)=?([^]*)$/.exec(field) ?? [];
      return [key.trim().toLowerCase(), value.trim()];
    }),
  );
  const from = fields.get("from");
  if (from !== undefined) takeFrom(stage, stages, from);
  if (fields.get("type") !== "secret") return;
  const target = fields.get("target") ?? fields.get("dst") ?? fields.get("destination") ?? "";
  const id = fields.get("id") ?? target.split("/").at(-1) ?? "";
  if (id !== "") stage.secrets.push(expand(id, stage.values) ?? id);
}
