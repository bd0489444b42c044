import { useEffect, useState } from "preact/hooks";

/** An observable value. */
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

  /** @returns a function that removes the watcher */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The value of a signal. The component re-renders when it changes. */
export function useSignal<Value>(signal: Signal<Value>): Value {
  const [, setTick] = useState(0);
  const { value } = signal;
  useEffect(() => {
    const update = () => setTick((tick) => tick + 1);
    // It may have changed between render and this effect.
    if (!Object.is(signal.value, value)) update();
    return signal.watch(update);
  }, [signal]);
  return value;
}
