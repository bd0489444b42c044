import { useEffect, useState } from "preact/hooks";

/** A value that is watched. */
export class Signal<Value> {
  #value: Value;
  readonly #watchers = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of this.#watchers) watcher();
  }

  /** @returns what ends it */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The value of a signal; whoever shows it is shown anew when it changes. */
export function useSignal<Value>(signal: Signal<Value>): Value {
  const [, setTick] = useState(0);
  const { value } = signal;
  useEffect(() => {
    const update = () => setTick((tick) => tick + 1);
    // It may have changed between the first look and this one.
    if (!Object.is(signal.value, value)) update();
    return signal.watch(update);
  }, [signal]);
  return value;
}
