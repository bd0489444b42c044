import { useEffect, useMemo } from "preact/hooks";

import { isTemporary, retryDelayMs } from "#client/retry.ts";
import type { ClientResult } from "#client/send.ts";
import type { Problem } from "#contract/problems.ts";
import { cacheByKey } from "#dashboard/data/cache.ts";
import { Signal, useSignal } from "#dashboard/data/signal.ts";

/**
 * What is known of something that the control plane tells. `value` is null before the first answer; `problem` says why
 * the latest request came to nothing, with the value from before it, if there was one.
 */
export type Known<Value> = { readonly value: Value | null; readonly problem: Problem | null };

/** Of each kind of resource. */
const MOST_CACHED = 50;

const nothing: Known<never> = { value: null, problem: null };

/** How often it is asked again, in milliseconds; null: not by itself. It may depend on what is known. */
type Interval<Value> = number | null | ((value: Value) => number | null);

/**
 * One thing that is read from the control plane, and read again while somebody watches it, the page can be seen and the
 * machine is on line. After a failure that may pass it tries again by itself, ever more seldom.
 */
export class Resource<Value> {
  readonly known = new Signal<Known<Value>>(nothing);
  readonly #load: () => Promise<ClientResult<Value>>;
  readonly #interval: Interval<Value>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #watchers = 0;
  #loading: Promise<void> | null = null;
  #isStale = false;

  constructor(load: () => Promise<ClientResult<Value>>, interval: Interval<Value>) {
    this.#load = load;
    this.#interval = interval;
  }

  /** Reads it now. One reading at a time: asked for during another one, it is read once more after that. */
  readonly reload = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#isStale = this.#loading !== null;
    this.#loading ??= this.#read().finally(() => {
      this.#loading = null;
    });
    await this.#loading;
    if (this.#isStale) await this.reload();
    else this.#plan();
  };

  /** @returns what ends the watching */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#watchers === 1) {
      document.addEventListener("visibilitychange", this.#wake);
      globalThis.addEventListener("online", this.#wake);
      void this.reload();
    }
    return () => {
      this.#watchers -= 1;
      if (this.#watchers > 0) return;
      clearTimeout(this.#timer);
      document.removeEventListener("visibilitychange", this.#wake);
      globalThis.removeEventListener("online", this.#wake);
    };
  }

  readonly #wake = (): void => {
    if (this.#watchers > 0 && document.visibilityState === "visible" && navigator.onLine) void this.reload();
  };

  async #read(): Promise<void> {
    const result = await this.#load();
    const { value, problem } = this.known.value;
    if (result.ok) {
      this.#failures = 0;
      // What is as it was stays the same object, and nothing of it is shown anew: there may be a thousand cards.
      const isSame = JSON.stringify(value) === JSON.stringify(result.value);
      if (!isSame || problem !== null)
        this.known.set({ value: isSame ? value : result.value, problem: null });
    } else {
      this.#failures += 1;
      this.known.set({ value, problem: result.problem });
    }
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const { value, problem } = this.known.value;
    if (this.#watchers === 0 || document.visibilityState === "hidden" || !navigator.onLine) return;
    if (problem !== null && problem.status !== 0 && !isTemporary(problem.status)) return;
    const usual =
      typeof this.#interval === "function" ? (value === null ? null : this.#interval(value)) : this.#interval;
    const ms = problem === null ? usual : Math.max(usual ?? 0, retryDelayMs(this.#failures));
    if (ms !== null) this.#timer = setTimeout(() => void this.reload(), ms);
  }
}

export type Watched<Value> = Known<Value> & { readonly reload: () => Promise<void> };

/**
 * A kind of resources, one for each key. What has been read stays known when a page is left, and is shown at once when
 * it is come back to.
 * @returns a hook, which watches one for as long as it is shown
 */
export function resources<Key extends string, Value>(
  load: (key: Key) => Promise<ClientResult<Value>>,
  interval: Interval<Value> = null,
): (key: Key) => Watched<Value> {
  const cached = cacheByKey<Resource<Value>>(MOST_CACHED);
  return (key) => useResource(() => cached(key, () => new Resource(() => load(key), interval)), key);
}

/**
 * The same for what somebody decides by: each that shows it reads it anew, and nothing from before is shown.
 * @returns a hook, as that of `resources`
 */
export function freshResources<Key extends string, Value>(
  load: (key: Key) => Promise<ClientResult<Value>>,
  interval: Interval<Value> = null,
): (key: Key) => Watched<Value> {
  return (key) => useResource(() => new Resource(() => load(key), interval), key);
}

function useResource<Value>(find: () => Resource<Value>, key: string): Watched<Value> {
  const resource = useMemo(find, [key]);
  useEffect(() => resource.watch(), [resource]);
  return { ...useSignal(resource.known), reload: resource.reload };
}
