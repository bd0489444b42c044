/** So much sooner than it is wanted an alarm may come: what comes too soon finds nothing to do, and sets the next one. */
const EARLY_MS = 10_000;

/**
 * The one alarm of a Durable Object, set again only where that makes a difference: each setting is paid for as a row that
 * is written. Source: Cloudflare's documentation, "Pricing of Durable Objects".
 */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  /** In Unix milliseconds; null: it is not set; undefined: this instance does not know. */
  #setFor: number | null | undefined = undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** It has come, or was deleted with the storage. */
  noteGone(): void {
    this.#setFor = undefined;
  }

  /** @param at Unix milliseconds, as `now`; null: never */
  async setExactly(at: number | null): Promise<void> {
    if (at === this.#setFor) return;
    this.#setFor = at;
    await (at === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(at));
  }

  /** Leaves it where it is set for a little sooner. For what is looked at again and again, ever later. */
  async setAbout(at: number, now: number): Promise<void> {
    const before = this.#setFor ?? null;
    if (before !== null && before > now && before <= at && at - before <= EARLY_MS) return;
    await this.setExactly(at);
  }
}
