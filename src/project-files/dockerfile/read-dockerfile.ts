import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { splitInstructions } from "#project-files/dockerfile/split-instructions.ts";
import {
  readStages,
  type Stage,
  type StartCommand,
  type WrittenArgs,
} from "#project-files/dockerfile/stages.ts";
import { expand } from "#project-files/dockerfile/words.ts";
import { type FileProblem, shown, unusable } from "#project-files/processes/file-problem.ts";

/** What a Dockerfile says before its image is built. Its base images say more, which only the built image shows. */
export type DockerfileFacts = {
  /** All stages, in their order. */
  readonly stages: readonly Stage[];
  /** The index of the stage that becomes the image. */
  readonly target: number;
  /** The variables that it takes before the first FROM, with their defaults. */
  readonly args: ReadonlyMap<string, string | null>;
  /** The same as they are written, for `argValues`. */
  readonly writtenArgs: WrittenArgs;
  /** The names of all variables that a stage or a FROM takes, and that the builder does not set itself: each can be given to the build. */
  readonly argNames: readonly string[];
  /** The images that the target stage is built from, and the stages that it copies from. As it is written if a variable has no default. */
  readonly baseImages: readonly string[];
  /** The ids of the secrets that the RUN of these stages mount. */
  readonly secrets: readonly string[];
  /** The TCP ports that the target stage exposes, and the stages that it continues. The ports of its base image are unknown. */
  readonly ports: readonly number[];
  /** The folders for files that are kept (VOLUME) of the same stages. */
  readonly volumes: readonly string[];
  /** The program, the user and the default command of the target stage; null if the base image has them. */
  readonly entrypoint: StartCommand | null;
  readonly command: StartCommand | null;
  readonly user: string | null;
  /** The folder in which the program starts; null if only the base image says it. */
  readonly workdir: string | null;
};

/** Far more than a Dockerfile has. */
export const MAX_DOCKERFILE_BYTES = 256 * 1024;

/** Which file it is, for messages, and the stage to build; null: the last. */
export type DockerfilePlace = { readonly path: string; readonly target: string | null };

/**
 * Reads what must be known of a Dockerfile before it is built. It does not check the instructions: the build does. Never throws.
 * Source: the reference of Dockerfiles, and the parser of BuildKit.
 */
export function readDockerfile(
  text: string,
  { path, target }: DockerfilePlace,
): ResultOf<DockerfileFacts, { readonly problem: FileProblem }> {
  if (text.length > MAX_DOCKERFILE_BYTES)
    return unusable(`${path} is larger than 256 KiB`, "Check that it is the right file.");
  const split = splitInstructions(text);
  if (!split.ok) {
    const { line, name } = split.problem;
    return unusable(
      `line ${line} of ${path} begins a text until ${shown(name)} that does not end`,
      `End it with a line that has only ${shown(name)}.`,
    );
  }
  const read = readStages(split.value);
  if (!read.ok) {
    const { line, what } = read.problem;
    return unusable(`line ${line} of ${path} has ${what}`, `Correct line ${line} of ${path}.`);
  }
  const { stages, args, writtenArgs } = read.value;
  if (stages.length === 0)
    return unusable(
      `${path} has no line FROM`,
      "A Dockerfile begins with the image that it is based on, such as `FROM node:24`.",
    );
  const wanted = target === null ? stages.length - 1 : stageNamed(stages, target);
  if (wanted === null) return unusable(...missingStage(path, target ?? "", stages));
  const lineage = lineageOf(stages, wanted);
  const needed = neededStages(stages, wanted);
  return succeed({
    stages,
    target: wanted,
    args,
    writtenArgs,
    argNames: [...new Set([...args.keys(), ...stages.flatMap((stage) => [...stage.args.keys()])])].filter(
      (name) => !platformArgs.includes(name),
    ),
    baseImages: imagesOf(needed, args),
    secrets: [...new Set(needed.flatMap(({ secrets }) => secrets))],
    ports: [...new Set(lineage.flatMap(({ ports }) => ports))],
    volumes: [...new Set(lineage.flatMap(({ volumes }) => volumes))],
    ...startOf(lineage),
    workdir: lineage.at(-1)?.workdir ?? null,
  });
}

/** The variables that the builder sets itself. Source: the reference of Dockerfiles, automatic platform ARGs. */
export const platformArgs: readonly string[] = ["TARGET", "BUILD"].flatMap((of) =>
  ["PLATFORM", "OS", "ARCH", "VARIANT"].map((name) => `${of}${name}`),
);

const MOST_NAMED = 8;

/** The stage with a name or a number; null if there is none. Upper and lower case are the same. */
export function stageNamed(stages: readonly Stage[], name: string): number | null {
  const at = stages.findLastIndex((stage) => stage.name === name.toLowerCase());
  if (at !== -1) return at;
  const number = /^\d{1,6}$/.test(name) ? Number(name) : -1;
  return number in stages ? number : null;
}

/** What a stage is called: by its name, or by its number. */
export function stageTitle({ name }: Stage, index: number): string {
  return name ?? String(index);
}

function missingStage(
  path: string,
  target: string,
  stages: readonly Stage[],
): [message: string, hint: string] {
  const named = stages.flatMap(({ name }) => (name === null ? [] : [shown(name)])).slice(0, MOST_NAMED);
  const remove = "remove `target` from the setting dockerfile to build the last stage";
  return [
    `${path} has no stage ${shown(target)}, which is the target`,
    named.length === 0
      ? `Name a stage there, such as \`FROM node:24 AS ${target}\`, or ${remove}.`
      : `Its stages are ${named.join(", ")}. Correct the target, or ${remove}.`,
  ];
}

/** A stage and the stages that it continues, the first one first. */
function lineageOf(stages: readonly Stage[], from: number): readonly Stage[] {
  const lineage: Stage[] = [];
  for (let at: number | null = from; at !== null;) {
    const stage: Stage | undefined = stages[at];
    if (stage !== undefined) lineage.unshift(stage);
    at = stage?.parent ?? null;
  }
  return lineage;
}

/** The stages that are built for a stage, in their order. */
function neededStages(stages: readonly Stage[], wanted: number): readonly Stage[] {
  const needed = new Set([wanted]);
  // A stage needs only earlier ones, so each is complete when its turn comes.
  for (let at = wanted; at >= 0; at -= 1)
    if (needed.has(at)) for (const one of stages[at]?.needs ?? []) needed.add(one);
  return stages.filter((_, at) => needed.has(at));
}

/** The images of these stages, each once. */
function imagesOf(stages: readonly Stage[], args: ReadonlyMap<string, string | null>): readonly string[] {
  const all = stages.flatMap(({ parent, image, sources }) => [
    ...(parent === null && image !== "scratch" ? [expand(image, args) ?? image] : []),
    ...sources,
  ]);
  return [...new Set(all)];
}

/** A new ENTRYPOINT removes the CMD that an earlier stage has. */
function startOf(lineage: readonly Stage[]): Pick<DockerfileFacts, "entrypoint" | "command" | "user"> {
  let start: Pick<DockerfileFacts, "entrypoint" | "command" | "user"> = {
    entrypoint: null,
    command: null,
    user: null,
  };
  for (const { entrypoint, command, user } of lineage)
    start = {
      entrypoint: entrypoint ?? start.entrypoint,
      command: command ?? (entrypoint === null ? start.command : null),
      user: user ?? start.user,
    };
  return start;
}
