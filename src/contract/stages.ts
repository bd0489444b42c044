// The stages of a run. A new stage starts here: the types below make the compiler name every other place it needs.

/** What an agent does in a run, in this order. */
export const runStages = ["fetch", "install", "build", "release", "start", "activate", "verify"] as const;
export type RunStage = (typeof runStages)[number];

/** The stages that a deployment passes through, in this order. */
export const stages = ["queued", ...runStages] as const;
export type Stage = (typeof stages)[number];

/** The stages that only some deployments have. */
export const optionalStages: ReadonlySet<Stage> = new Set<Stage>(["install", "release", "start"]);

export const stageLabels = {
  queued: "Queued",
  fetch: "Fetch",
  install: "Install",
  build: "Build",
  release: "Release",
  start: "Start",
  activate: "Activate",
  verify: "Verify",
} as const satisfies Record<Stage, string>;

/** The project settings that limit the time of a stage. `queue_seconds` limits the wait for an offline server. */
export type TimeoutName = `${"queue" | RunStage}_seconds`;

/** In seconds. */
export const defaultTimeouts = {
  queue_seconds: 900,
  fetch_seconds: 600,
  install_seconds: 600,
  build_seconds: 600,
  release_seconds: 600,
  start_seconds: 120,
  activate_seconds: 60,
  verify_seconds: 60,
} as const satisfies Record<TimeoutName, number>;

/** The name of the setting that limits the time of a stage. */
export function timeoutName(stage: RunStage): TimeoutName {
  return `${stage}_seconds`;
}
