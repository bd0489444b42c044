import type { ProcessDefinition } from "#contract/endpoints/processes/schemas.ts";
import { DEFAULT_DOCKERFILE, Dockerfile } from "#contract/endpoints/projects/settings.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import { type DockerfileFacts, readDockerfile } from "#project-files/dockerfile/read-dockerfile.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import { type FileProblem, shown, unusable } from "#project-files/processes/file-problem.ts";

/** How the image of a project is built, and what its Dockerfile says before that. */
export type ImageChoice = {
  /** Where the Dockerfile and its files are, and which stage becomes the image. */
  readonly dockerfile: Dockerfile;
  readonly facts: DockerfileFacts;
  /**
   * What gantry.json says about the process `web`, if that has the command of the image: it is known after the build
   * (`withImageCommand`). Null: the repository has a command for it.
   */
  readonly web: Omit<ProcessDefinition, "command"> | null;
  /** The `container_port` of `web`: the project's, or gantry.json's. */
  readonly containerPort: number | undefined;
  /** The image was built elsewhere, and is used as it is. */
  readonly isPrebuilt?: true;
};

type WithDockerfile = { readonly dockerfile?: Dockerfile | null | undefined };

/** The setting for the Dockerfile of a project, which takes precedence over gantry.json. */
export function dockerfileOf(settings: WithDockerfile, repository: WithDockerfile): Dockerfile {
  return settings.dockerfile ?? repository.dockerfile ?? Dockerfile.parse({});
}

/** The settings that have no meaning for an image, with what to do instead. */
const otherSettings = {
  install_command: "install what the app needs in a RUN of the Dockerfile",
  build_command: "build the app in a RUN of the Dockerfile",
  output_directory: "let the container answer for its files",
  activate_command: "the processes run in containers of the image",
} as const;

export type OtherSetting = keyof typeof otherSettings;

/** What decides about an image. `unused`: the settings with a value that have no meaning for it. */
export type ImageRequest = Omit<ImageChoice, "facts"> & {
  readonly unused: readonly OtherSetting[];
};

/** How an image is built. `problem`: why it cannot be; then `image` is null. */
export type DecidedImage = { readonly image: ImageChoice | null; readonly problem: FileProblem | null };

/** Reads the Dockerfile of a project that is built from one. */
export function chooseImage(tree: Tree, { unused, ...rest }: ImageRequest): DecidedImage {
  const facts = readFacts(tree, rest.dockerfile, unused);
  return facts.ok
    ? { image: { ...rest, facts: facts.value }, problem: null }
    : { image: null, problem: facts.problem };
}

function readFacts(
  tree: Tree,
  { path, target }: Dockerfile,
  [name]: readonly OtherSetting[],
): ResultOf<DockerfileFacts, { readonly problem: FileProblem }> {
  if (name !== undefined)
    return unusable(
      `${name} is set, and only the Dockerfile says how an image is built and started`,
      `Remove ${name}: ${otherSettings[name]}. Or set another framework than \`dockerfile\`.`,
    );
  if (tree.dockerfile === null) return missing(tree, path);
  const { read } = tree.dockerfile;
  return read.ok ? readDockerfile(read.value, { path, target: target ?? null }) : read;
}

function missing({ signs }: Tree, path: string): ReturnType<typeof unusable> {
  const others = [...signs.keys()]
    .flatMap((sign) => /^file:([^/]*(?:Dockerfile|Containerfile)[^/]*)$/.exec(sign)?.[1] ?? [])
    .slice(0, 3);
  const named =
    others.length === 0
      ? "Commit the file, or set `path` of the setting dockerfile to where it is in the root directory."
      : `Set \`path\` of the setting dockerfile to ${others.map(shown).join(" or ")}.`;
  return unusable(
    path === DEFAULT_DOCKERFILE
      ? "the root directory has no file Dockerfile, from which the project is built"
      : `the Dockerfile ${shown(path)} does not exist in the root directory`,
    `${named} To detect the framework again, remove the settings framework and dockerfile.`,
  );
}

/** A port of a container, and why it is this one. */
export type ImagePort = { readonly port: number; readonly from: "setting" | "EXPOSE" | "default" };

/** The port of a container that neither a setting nor the image names. */
export const USUAL_PORT = 8080;
const HTTP_PORT = 80;
const TLS_PORT = 443;

/** On which port a container listens. @param exposed the ports that its image exposes */
export function portOf(containerPort: number | undefined, exposed: readonly number[]): ImagePort {
  if (containerPort !== undefined) return { port: containerPort, from: "setting" };
  // TLS is for the ingress of the server.
  const plain = exposed.length > 1 ? exposed.filter((port) => port !== TLS_PORT) : exposed;
  const [only, another] = plain;
  if (only !== undefined && another === undefined) return { port: only, from: "EXPOSE" };
  const known = [USUAL_PORT, HTTP_PORT].find((port) => plain.includes(port));
  return known === undefined ? { port: USUAL_PORT, from: "default" } : { port: known, from: "EXPOSE" };
}

/** A problem of a build without an image, with the Dockerfile as another way. */
export function orImage(problem: FileProblem | null, { dockerfile }: Tree): FileProblem | null {
  if (problem === null || dockerfile === null) return problem;
  const other = `Or set framework to \`dockerfile\`: it builds and runs the image of ${dockerfile.path}.`;
  return { ...problem, hint: problem.hint === null ? other : `${problem.hint} ${other}` };
}

/** What a person should know about the Dockerfile, in sentences without a full stop. @param decided null: it is not used */
export function dockerfileNotes({ dockerfile }: Tree, decided: DecidedImage | null): readonly string[] {
  if (decided === null)
    return dockerfile === null
      ? []
      : [`${dockerfile.path} is not used: to build and run its image, set framework to \`dockerfile\``];
  if (decided.image === null) return [];
  const { facts, containerPort } = decided.image;
  const { ports } = facts;
  const open = facts.baseImages
    .filter((image) => image.includes("$"))
    .map((image) => `the base image ${shown(image)} has no default: set its variable as a plain variable`);
  if (ports.length === 0 || portOf(containerPort, ports).from !== "default") return open;
  return [
    ...open,
    `the image exposes the ports ${ports.slice(0, MOST_NAMED).join(", ")}: set container_port of the process web to the port for visitors, which is otherwise ${USUAL_PORT}`,
  ];
}

const MOST_NAMED = 8;
