import * as z from "zod/mini";

import { storedAs } from "#contract/stored.ts";
import { WantedState } from "#worker/objects/agent-link/wanted-state.ts";

const STATE = "fleet";
const HOUR_MS = 3_600_000;

/**
 * `wanted`, `sent`: of `WantedState`. `isRepeated`: the `FleetState` must be sent even if it has not changed, because the agent has
 * connected. `readAt`: Unix milliseconds.
 * `revision`, `digest`: of the state that was sent last; 0: none was. `done`, `problem`: the agent's last answer.
 * `changed`, `announced`: as `wanted` and `sent`, for the report of this agent that other servers must get.
 */
const State = z.strictObject({
  wanted: z.int(),
  sent: z.int(),
  isRepeated: z.boolean(),
  readAt: z.number(),
  revision: z.int(),
  digest: z.string(),
  done: z.nullable(z.int()),
  problem: z.nullable(z.string()),
  changed: z.int(),
  announced: z.int(),
});
type State = z.infer<typeof State>;
const storedState = storedAs(State);

const initial: State = {
  ...{ wanted: 0, sent: 0, isRepeated: false, readAt: 0 },
  ...{ revision: 0, digest: "", done: null, problem: null },
  ...{ changed: 0, announced: 0 },
};

/** What the agent was sent about other servers (`FleetState`), in the link's own storage. All methods are synchronous. */
export class FleetRecord {
  readonly #state: WantedState<State>;

  constructor(kv: SyncKvStorage) {
    this.#state = new WantedState(kv, STATE, storedState, initial);
  }

  /** What to pass to `noteSent`; null: the agent knows what it must. */
  due(): number | null {
    return this.#state.due();
  }

  /** What to pass to `noteAnnounced`; null: others know this server. */
  unannounced(): number | null {
    const { changed, announced } = this.#state.load();
    return changed === announced ? null : changed;
  }

  /** Whether the agent was ever sent something, so that it must be told if it serves its projects alone now. */
  wasSent(): boolean {
    return this.#state.load().revision > 0;
  }

  /** Projects or servers have changed, or, if `isRepeated`, the agent has connected. */
  noteDue(isRepeated: boolean): void {
    const state = this.#state.load();
    this.#state.change({ wanted: state.wanted + 1, isRepeated: state.isRepeated || isRepeated });
  }

  /** Once an hour, because a request that changed something may have died before it called this object. */
  noteStatus(now: number): void {
    const { revision, readAt } = this.#state.load();
    if (revision > 0 && now - readAt >= HOUR_MS) this.noteDue(false);
  }

  /** What others must know of this server has changed. */
  noteChanged(): void {
    this.#state.change({ changed: this.#state.load().changed + 1 });
  }

  /** Others know this server. @param announced the value of `unannounced` */
  noteAnnounced(announced: number): void {
    this.#state.change({ announced });
  }

  /**
   * Notes that what the agent must know was read.
   * @param sent the value of `due`
   * @param digest of what was read
   * @returns the revision to send; null: the agent has it
   */
  noteSent(sent: number, digest: string, now: number): number | null {
    const state = this.#state.load();
    const isSame = state.digest === digest;
    const isRepeated = sent === state.wanted ? false : state.isRepeated;
    const revision = isSame ? state.revision : Math.max(now, state.revision + 1);
    const answer = isSame ? {} : { done: null, problem: null };
    this.#state.change({ ...answer, sent, isRepeated, revision, digest, readAt: now });
    return isSame && !state.isRepeated ? null : revision;
  }

  /** Nothing has to be sent. @param sent the value of `due` */
  noteAlone(sent: number, now: number): void {
    this.#state.change({ sent, isRepeated: false, readAt: now });
  }

  /** The agent has answered. @returns whether that is new */
  noteAnswer(revision: number, problem: string | null): boolean {
    const state = this.#state.load();
    if (revision !== state.revision || (state.done === revision && state.problem === problem)) return false;
    this.#state.change({ done: revision, problem });
    return true;
  }

  /** For D1; null: nothing was sent. */
  answer(): { readonly sent: number; readonly done: number | null; readonly problem: string | null } | null {
    const { revision, done, problem } = this.#state.load();
    return revision === 0 ? null : { sent: revision, done, problem };
  }

  forget(): void {
    this.#state.remove();
  }
}
