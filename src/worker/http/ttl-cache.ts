/** A cache with a time to live and a maximum size. */
export class TtlCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #forMs: number;
  readonly #atMost: number;
  #forgotten = 0;

  constructor(limits: { readonly forMs: number; readonly atMost: number }) {
    this.#forMs = limits.forMs;
    this.#atMost = limits.atMost;
  }

  /** Returns the cached value, or looks it up. Does not cache null. */
  async get(key: string, now: number, lookUp: () => Promise<Value | null>): Promise<Value | null> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && now < entry.until) return entry.value;
    this.#entries.delete(key);
    const forgotten = this.#forgotten;
    const value = await lookUp();
    // If `forget` ran during the look-up, the value may be outdated, so it is not cached.
    if (value !== null && forgotten === this.#forgotten) this.#remember(key, value, now);
    return value;
  }

  /** Removes all matching values. */
  forget(isLike: (value: Value) => boolean): void {
    this.#forgotten += 1;
    for (const [key, { value }] of this.#entries) if (isLike(value)) this.#entries.delete(key);
  }

  #remember(key: string, value: Value, now: number): void {
    // A Map keeps insertion order, so the first key expires first.
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#atMost && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: now + this.#forMs });
  }
}
