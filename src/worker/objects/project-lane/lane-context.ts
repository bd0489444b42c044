import type { LaneOutbox } from "#worker/objects/project-lane/lane-outbox.ts";
import type { LaneStore } from "#worker/objects/project-lane/lane-store.ts";
import type { LogBuffer } from "#worker/objects/log/log-buffer.ts";

/** What a lane keeps in its object's storage, and what its effects need besides. `now` is in Unix milliseconds. */
export type LaneContext = {
  readonly env: Env;
  readonly storage: DurableObjectStorage;
  readonly store: LaneStore;
  readonly outbox: LaneOutbox;
  readonly logs: LogBuffer;
  readonly now: () => number;
};
