/** Values that are looked up now and then, kept for a while, and no more than so many of them. */
export class TtlCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #forMs: number;
  readonly #atMost: number;
  #forgotten = 0;

  constructor(limits: { readonly forMs: number; readonly atMost: number }) {
    this.#forMs = limits.forMs;
    this.#atMost = limits.atMost;
  }

  /** The value of that key, looked up unless it is remembered. What is not there (null) is not remembered. */
  async get(key: string, now: number, lookUp: () => Promise<Value | null>): Promise<Value | null> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && now < entry.until) return entry.value;
    this.#entries.delete(key);
    const forgotten = this.#forgotten;
    const value = await lookUp();
    // What was looked up while something was forgotten may be just that, as it was before.
    if (value !== null && forgotten === this.#forgotten) this.#remember(key, value, now);
    return value;
  }

  /** Looks all values like this up again when they are next asked for. */
  forget(isLike: (value: Value) => boolean): void {
    this.#forgotten += 1;
    for (const [key, { value }] of this.#entries) if (isLike(value)) this.#entries.delete(key);
  }

  #remember(key: string, value: Value, now: number): void {
    // A Map keeps the order in which keys came, so the first is the one that expires first.
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#atMost && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: now + this.#forMs });
  }
}
