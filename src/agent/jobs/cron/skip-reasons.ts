/** The messages of times at which a job was skipped and nothing has failed. */
export const IS_RUNNING = "the previous run has not ended";
export const STOPPED = "all processes of the project are stopped";

export const BENIGN_SKIPS: readonly string[] = [IS_RUNNING, STOPPED];
