import * as z from "zod/mini";

import { storedAs } from "#contract/stored.ts";
import { WantedState } from "#worker/objects/agent-link/wanted-state.ts";

const STATE = "watch";
const HOUR_MS = 3_600_000;

/** `wanted`, `sent`: of `WantedState`. `hasBranches`: whether the agent watches any. `sentAt` is in Unix milliseconds. */
const State = z.strictObject({
  wanted: z.int(),
  sent: z.int(),
  hasBranches: z.boolean(),
  sentAt: z.number(),
});
type State = z.infer<typeof State>;
const storedState = storedAs(State);

const initial: State = { wanted: 0, sent: 0, hasBranches: false, sentAt: 0 };

/** Which branches the agent was told to watch, in the link's own storage. All methods are synchronous. */
export class WatchRecord {
  readonly #state: WantedState<State>;

  constructor(kv: SyncKvStorage) {
    this.#state = new WantedState(kv, STATE, storedState, initial);
  }

  /** The revision to send, and to pass to `noteSent`; null: the agent watches the right branches. */
  due(): number | null {
    return this.#state.due();
  }

  /** Whether the agent watches branches, so that it must be told if there are none now. */
  hasBranches(): boolean {
    return this.#state.load().hasBranches;
  }

  /** The agent has connected, or settings have changed. */
  noteDue(): void {
    this.#state.change({ wanted: this.#state.load().wanted + 1 });
  }

  /** Once an hour, because a request that changed settings may have died before it called this object. */
  noteStatus(now: number): void {
    if (now - this.#state.load().sentAt >= HOUR_MS) this.noteDue();
  }

  noteSent(sent: number, now: number, hasBranches: boolean): void {
    this.#state.change({ sent, hasBranches, sentAt: now });
  }
}
