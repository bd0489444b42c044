import { type ImageChoice, portOf } from "#build/choose-image.ts";
import { startText } from "#build/describe-choice.ts";
import type { Fact } from "#cli/output/facts.ts";
import { printable } from "#cli/output/printable.ts";
import { VariableName } from "#contract/endpoints/variables/schemas.ts";
import { stageTitle } from "#project-files/dockerfile/read-dockerfile.ts";

/** How an image would be built and run, in JSON. */
export function imageDocument(image: ImageChoice) {
  const { dockerfile, facts, containerPort } = image;
  const {
    stages,
    target,
    baseImages,
    argNames,
    secrets,
    ports,
    volumes,
    entrypoint,
    command,
    user,
    workdir,
  } = facts;
  return {
    path: dockerfile.path,
    context: dockerfile.context,
    stages: stages.map(stageTitle),
    target: titleOf(image, target),
    base_images: baseImages,
    /** The plain variables with these names are given to the build. */
    args: argNames,
    secrets,
    exposed_ports: ports,
    container_port: portOf(containerPort, ports).port,
    volumes,
    /** Null: its base image has it. */
    entrypoint,
    command,
    user,
    workdir,
  };
}

/** How an image would be built and run, for a person. @param sharedPaths of the project */
export function imageFacts(image: ImageChoice, sharedPaths: readonly string[]): readonly Fact[] {
  const { dockerfile, facts, web, containerPort } = image;
  const { stages, target, baseImages, argNames, secrets, ports, volumes, user, workdir } = facts;
  const unusable = secrets.filter((id) => !VariableName.safeParse(id).success);
  const port = portOf(containerPort, ports);
  const why = { setting: "container_port", EXPOSE: "EXPOSE", default: "the default" }[port.from];
  return [
    ["dockerfile", printable(dockerfile.path)],
    ["context", dockerfile.context === "." ? null : printable(dockerfile.context)],
    [
      "image",
      printable(
        `stage ${titleOf(image, target)}${stages.length === 1 ? "" : `, of ${listed(stages.map(stageTitle))}`}`,
      ),
    ],
    ["based on", listed(baseImages)],
    [
      "build arguments",
      argNames.length === 0 ? null : `${listed(argNames)}, from plain variables with these names`,
    ],
    [
      "build secrets",
      secrets.length === 0
        ? null
        : `${listed(secrets)}, from secrets with these names that are set for builds`,
    ],
    ...unusable.map(
      (id) =>
        ["warning", `${printable(id)} is no name of a variable, so the build gets no such secret`] as const,
    ),
    ["working directory", workdir === null ? null : printable(workdir)],
    ["user", user === null ? null : printable(user)],
    ["process web", web === null ? null : printable(`${startText(image)} (command of the image)`)],
    ["container port", `${port.port} (${why})`],
    ...volumes.flatMap((volume) => {
      const text = volumeText(volume, workdir, sharedPaths);
      return text === null ? [] : [["volume", printable(text)] as const];
    }),
  ];
}

/** What to do to keep the files of a volume; null: the project keeps them. */
function volumeText(volume: string, workdir: string | null, sharedPaths: readonly string[]): string | null {
  const root = workdir === "/" ? "" : workdir;
  const path = root === null || !volume.startsWith(`${root}/`) ? null : volume.slice(root.length + 1);
  if (path === null)
    return `${volume}: its files are lost with the container, because shared paths are below the working directory`;
  if (sharedPaths.some((shared) => path === shared || path.startsWith(`${shared}/`))) return null;
  return `${volume}: its files are lost with the container, unless ${path} is in shared_paths`;
}

const MOST_NAMED = 20;

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return printable(`${names.slice(0, MOST_NAMED).join(", ")}${more}`);
}

function titleOf({ facts: { stages } }: ImageChoice, target: number): string {
  const stage = stages[target];
  return stage === undefined ? String(target) : stageTitle(stage, target);
}
