import type { IdGenerator } from "#contract/ids.ts";
import type { DeliveryStore } from "#worker/objects/outlet/delivery-store.ts";
import type { OutletMemoryStore } from "#worker/objects/outlet/outlet-memory.ts";
import type { OutletRecord } from "#worker/objects/outlet/outlet-record.ts";

/** An Outlet's storage, and what else its work needs. `now` returns Unix milliseconds. */
export type OutletContext = {
  readonly env: Env;
  readonly storage: DurableObjectStorage;
  readonly record: OutletRecord;
  readonly deliveries: DeliveryStore;
  readonly memory: OutletMemoryStore;
  readonly ids: IdGenerator;
  readonly now: () => number;
};
