import type { Stored } from "#contract/stored.ts";

/**
 * `wanted`: a count that rises whenever the agent may have to be sent something. `sent`: the value of `wanted` when it was last
 * read, so the agent has it while both are equal.
 */
type Counts = { readonly wanted: number; readonly sent: number };

/** What an agent was sent and must be sent of one kind, in the link's own storage. All methods are synchronous. */
export class WantedState<State extends Counts> {
  readonly #kv: SyncKvStorage;
  readonly #key: string;
  readonly #stored: Stored<State>;
  readonly #initial: State;

  constructor(kv: SyncKvStorage, key: string, stored: Stored<State>, initial: State) {
    this.#kv = kv;
    this.#key = key;
    this.#stored = stored;
    this.#initial = initial;
  }

  load(): State {
    return this.#stored.parse(this.#kv.get(this.#key) ?? this.#initial);
  }

  change(changes: Partial<State>): void {
    this.#kv.put(this.#key, { ...this.load(), ...changes });
  }

  /** The value of `wanted`, to be noted as `sent`; null: the agent has it. */
  due(): number | null {
    const { wanted, sent } = this.load();
    return wanted === sent ? null : wanted;
  }

  remove(): void {
    this.#kv.delete(this.#key);
  }
}
