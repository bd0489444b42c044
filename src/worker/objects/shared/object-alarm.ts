/** How much earlier than requested an alarm may fire. An early alarm finds nothing to do and sets the next one. */
const EARLY_MS = 10_000;

/**
 * The alarm of a Durable Object. Sets it only if its time changes, because each `setAlarm` is billed as a row written.
 * Source: Cloudflare's documentation, "Pricing of Durable Objects".
 */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  /** In Unix milliseconds; null: not set; undefined: not known to this instance. */
  #setFor: number | null | undefined = undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Call this when the alarm has fired, or was deleted with the storage. */
  noteFired(): void {
    this.#setFor = undefined;
  }

  /**
   * @param at Unix milliseconds; null: removes the alarm
   * @throws if the storage does not accept it: the next call tries again
   */
  async setExactly(at: number | null): Promise<void> {
    if (at === this.#setFor) return;
    this.#setFor = at;
    try {
      await (at === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(at));
    } catch (error) {
      this.#setFor = undefined;
      throw error;
    }
  }

  /** As `setExactly`, but keeps an alarm that is set earlier: when it fires, it finds nothing to do and sets the next one. */
  async setBy(at: number | null): Promise<void> {
    if (at === null || (typeof this.#setFor === "number" && this.#setFor <= at)) return;
    await this.setExactly(at);
  }

  /** As `setExactly`, but keeps an alarm that is set up to 10 s earlier. For deadlines that move often. */
  async setAbout(at: number, now: number): Promise<void> {
    const before = this.#setFor ?? null;
    if (before !== null && before > now && before <= at && at - before <= EARLY_MS) return;
    await this.setExactly(at);
  }
}
