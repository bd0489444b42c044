import type { IdGenerator, RunId, ServerId } from "#contract/ids.ts";
import type { BuildLocks } from "#worker/objects/project-lane/build-locks.ts";
import type { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import type { LaneOutbox } from "#worker/objects/project-lane/lane-outbox.ts";
import type { LaneStore } from "#worker/objects/project-lane/lane-store.ts";
import type { LogBuffer } from "#worker/objects/project-lane/log-buffer.ts";

/** A lane's storage, and what else its effects need. `now` returns Unix milliseconds. */
export type LaneContext = {
  readonly env: Env;
  readonly storage: DurableObjectStorage;
  readonly store: LaneStore;
  readonly outbox: LaneOutbox;
  readonly logs: LogBuffer;
  readonly changes: ChangeOutbox;
  readonly ids: IdGenerator;
  /**
   * The runs with a new permit whose agents were not told yet, and their servers. Not stored: an agent that is not told asks
   * by itself.
   */
  readonly permitted: Map<RunId, ServerId>;
  readonly builds: BuildLocks;
  readonly now: () => number;
};
