import type { BuildChoice, ChosenSettings } from "#build/choose-build.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import { Dockerfile, IMAGE } from "#contract/endpoints/projects/settings.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";

/** The settings that say how files become a release. */
const forFiles = [
  "framework",
  "dockerfile",
  "install_command",
  "build_command",
  "output_directory",
  "activate_command",
] as const satisfies readonly (keyof ChosenSettings)[];

const preset: DetectedPreset = {
  framework: IMAGE,
  install_command: null,
  build_command: null,
  output_directory: ".",
  trailing_slash: "auto",
  fallback: null,
  app_type: "server",
  start_command: null,
  reasons: ["the repository has images"],
};

/** What runs of a project whose repository has images: there are no files that could say it. */
export function choosePrebuilt(settings: ChosenSettings): BuildChoice {
  const unused = forFiles.find((name) => (settings[name] ?? null) !== null);
  return {
    plan: preset,
    preset,
    hasPreset: true,
    repositorySettings: {},
    frameworkFrom: "project",
    firstStage: "build",
    presetCommands: [],
    isPresetInstall: false,
    installFolder: null,
    problem:
      unused === undefined
        ? null
        : {
            message: `${unused} is set, and an image is used as it is`,
            hint: `Remove ${unused}: the repository has images, which are built elsewhere.`,
          },
    image: {
      dockerfile: Dockerfile.parse({}),
      isPrebuilt: true,
      facts: {
        ...{ stages: [], target: 0, args: new Map(), argNames: [], baseImages: [], secrets: [], ports: [] },
        ...{ volumes: [], writtenArgs: [] },
        ...{ entrypoint: null, command: null, user: null, workdir: null },
      },
      web: {},
      containerPort: settings.processes?.[WEB]?.container_port,
    },
    isPublished: false,
    findsOutput: false,
    isOutputNamed: false,
    setsFallback: false,
    processes: [],
    cron: [],
    releaseCommand: null,
    notes: [],
    suggestedWorker: null,
    isStartedByProject: false,
  };
}
