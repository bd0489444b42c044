import type { RunStage, TimeoutName } from "#contract/stages.ts";

/** What happens in each stage of a run, as a clause of the present tense. */
export const stageTexts = {
  fetch: "the server fetches the repository",
  install: "the server installs the dependencies",
  build: "the server runs the build command",
  release: "the server runs the release command",
  start: "the server starts the new instances of the processes and checks them",
  activate: "the server switches to the new release and runs the activate command",
  verify: "the server runs the health check",
} as const satisfies Record<RunStage, string>;

/** What each timeout limits. */
export const timeoutTexts = {
  queue_seconds: "How long a deployment waits for a server that is offline.",
  fetch_seconds: "The maximum time to fetch the repository.",
  install_seconds: "The maximum time for the install command.",
  build_seconds: "The maximum time for the build command.",
  release_seconds: "The maximum time for the release command.",
  start_seconds:
    "The maximum time until the new instances of the processes have started and passed their checks.",
  activate_seconds: "The maximum time for the activate command.",
  verify_seconds: "The maximum time for the whole health check, with all its tries.",
} as const satisfies Record<TimeoutName, string>;
