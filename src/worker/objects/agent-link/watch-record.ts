import * as z from "zod/mini";
import { storedAs } from "#contract/stored.ts";

const STATE = "watch";
const HOUR_MS = 3_600_000;

/**
 * `wanted` rises each time that the agent must be sent the branches, and `sent` is the value of `wanted` when the
 * branches were last read. `hasBranches`: whether the agent watches any. `sentAt` is in Unix milliseconds.
 */
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
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The revision to send, and to pass to `noteSent`; null: the agent watches the right branches. */
  due(): number | null {
    const { wanted, sent } = this.#load();
    return wanted === sent ? null : wanted;
  }

  /** Whether the agent watches branches, so that it must be told if there are none now. */
  hasBranches(): boolean {
    return this.#load().hasBranches;
  }

  /** The agent has connected, or settings have changed. */
  noteDue(): void {
    const state = this.#load();
    this.#save({ ...state, wanted: state.wanted + 1 });
  }

  /** Once an hour, because a request that changed settings may have died before it called this object. */
  noteStatus(now: number): void {
    if (now - this.#load().sentAt >= HOUR_MS) this.noteDue();
  }

  noteSent(sent: number, now: number, hasBranches: boolean): void {
    this.#save({ ...this.#load(), sent, hasBranches, sentAt: now });
  }

  #load(): State {
    return storedState.parse(this.#kv.get(STATE) ?? initial);
  }

  #save(state: State): void {
    this.#kv.put(STATE, state);
  }
}
