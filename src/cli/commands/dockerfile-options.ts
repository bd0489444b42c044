import { DEFAULT_DOCKERFILE, type Dockerfile } from "#contract/endpoints/projects/settings.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";

/** From what a container is built. */
export const dockerfileOptions = {
  dockerfile: {
    kind: "text",
    value: "PATH",
    help: "Dockerfile to build the app from, relative to the root directory; '' for none",
  },
  "build-context": {
    kind: "text",
    value: "PATH",
    help: "Directory whose files the Dockerfile can copy (default: the root directory)",
  },
  "build-target": {
    kind: "text",
    value: "STAGE",
    help: "Stage of the Dockerfile that becomes the image; '' for the last one",
  },
} as const satisfies OptionSpecs;

/**
 * The field of a request for the given options. The parts without an option keep their values.
 * @param before the value of the project; null for a new project
 */
export function dockerfileField(
  options: Options<typeof dockerfileOptions>,
  before: Dockerfile | null,
): { dockerfile?: Dockerfile | null } {
  const { dockerfile: path, "build-context": context, "build-target": target } = options;
  if (path === null && context === null && target === null) return {};
  if (path === "" && context === null && target === null) return { dockerfile: null };
  const stage = target === null ? before?.target : target === "" ? undefined : target;
  return {
    dockerfile: {
      path: path || (path === null ? before?.path : undefined) || DEFAULT_DOCKERFILE,
      context: context || (context === null ? before?.context : undefined) || ".",
      ...(stage === undefined ? {} : { target: stage }),
    },
  };
}
