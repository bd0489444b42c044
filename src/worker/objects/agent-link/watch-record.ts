import * as z from "zod/mini";

import { backOffMs } from "#contract/lib/back-off.ts";
import { storedAs } from "#contract/stored.ts";
import { WantedState } from "#worker/objects/agent-link/wanted-state.ts";

const STATE = "watch";
const HOUR_MS = 3_600_000;

/** After this many tries in a row, pushes wait until the agent connects again, a setting changes, or an hour has passed. */
const MAX_TRIES = 6;
const RETRY = { firstMs: 5_000, longestMs: 60_000 } as const;

/**
 * `wanted`, `sent`: of `WantedState`. `hasBranches`: whether the agent watches any. `tries`: how many times in a row pushes
 * were found that wait until the server has read their repository. `sentAt`, `triedAt`: in Unix milliseconds.
 */
const State = z.strictObject({
  wanted: z.int(),
  sent: z.int(),
  hasBranches: z.boolean(),
  sentAt: z.number(),
  tries: z._default(z.int(), 0),
  triedAt: z._default(z.number(), 0),
});
type State = z.infer<typeof State>;
const storedState = storedAs(State);

const initial: State = { wanted: 0, sent: 0, hasBranches: false, sentAt: 0, tries: 0, triedAt: 0 };

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
    this.#state.change({ wanted: this.#state.load().wanted + 1, tries: 0 });
  }

  /** Once an hour, because a request that changed settings may have died before it called this object. */
  noteStatus(now: number): void {
    if (now - this.#state.load().sentAt >= HOUR_MS) this.noteDue();
  }

  noteSent(sent: number, now: number, hasBranches: boolean): void {
    this.#state.change({ sent, hasBranches, sentAt: now });
  }

  /** When to look again for pushes that wait, in Unix milliseconds; null: not by itself. */
  retryAt(): number | null {
    const { tries, triedAt } = this.#state.load();
    return tries === 0 || tries > MAX_TRIES ? null : triedAt + backOffMs(tries, RETRY);
  }

  /** Recorded before they are decided, so that they are looked for again if the object dies meanwhile. */
  noteUnread(isAny: boolean, now: number): void {
    this.#state.change({ tries: isAny ? this.#state.load().tries + 1 : 0, triedAt: now });
  }
}
