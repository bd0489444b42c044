import { useEffect, useMemo } from "preact/hooks";

import { isTemporary, retryDelayMs } from "#client/retry.ts";
import type { ClientResult } from "#client/send.ts";
import type { Problem } from "#contract/problems.ts";
import { cacheByKey } from "#dashboard/data/cache.ts";
import { Signal, useSignal } from "#dashboard/data/signal.ts";

/**
 * The state of data that is read from the API. `value` is the latest data, null before the first response. `problem`
 * says why the latest request failed.
 */
export type ResourceState<Value> = { readonly value: Value | null; readonly problem: Problem | null };

/** For each kind of resource. */
const MOST_CACHED = 50;

const nothing: ResourceState<never> = { value: null, problem: null };

/** How often data is polled while something is under way: no event reports each of its steps. */
export const FAST_POLL_MS = 2_000;
/** How often other data is polled, if it does not say otherwise. */
export const POLL_MS = 10_000;
/** How often data is polled while events announce its changes. */
const POLL_WITH_EVENTS_MS = 60_000;

/** Which events concern some data: the first words of their types, and the id of the object (`ALL`: any). */
export type Subject = { readonly shows: string; readonly key: string };

/** The key of a resource that exists once. */
export const ALL = "all";

/**
 * The resources that components watch, for `listen`. `hasEvents`: events announce changes. `removals`: how many requests
 * that delete an object are under way.
 */
export const watched = {
  hasEvents: false,
  removals: 0,
  all: new Set<{ readonly subject: Subject | null; readonly reload: () => Promise<void> }>(),
};

/** Reads everything that is shown again. */
export function reloadWatched(): void {
  for (const { reload } of watched.all) void reload();
}

/** The polling interval in milliseconds, which may depend on the value; null: no polling. */
type Interval<Value> = number | null | ((value: Value) => number | null);

/**
 * Data that is read from the API, and polled while a component watches it, the page is visible and the browser is
 * online: rarely, if events announce its changes. After a temporary failure it retries with a growing delay.
 */
export class Resource<Value> {
  readonly state = new Signal<ResourceState<Value>>(nothing);
  readonly subject: Subject | null;
  readonly #load: () => Promise<ClientResult<Value>>;
  readonly #interval: Interval<Value>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #watchers = 0;
  #loading: Promise<void> | null = null;
  #isStale = false;

  /** @param subject null: no event announces its changes */
  constructor(
    load: () => Promise<ClientResult<Value>>,
    interval: Interval<Value>,
    subject: Subject | null = null,
  ) {
    this.#load = load;
    this.#interval = interval;
    this.subject = subject;
  }

  /** Reads the data now. During another read, it waits for that read and then reads once more. */
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

  /** Starts polling. @returns a function that stops it */
  watch(): () => void {
    this.#watchers += 1;
    if (this.#watchers === 1) {
      watched.all.add(this);
      document.addEventListener("visibilitychange", this.#wake);
      globalThis.addEventListener("online", this.#wake);
      void this.reload();
    }
    return () => {
      this.#watchers -= 1;
      if (this.#watchers > 0) return;
      clearTimeout(this.#timer);
      watched.all.delete(this);
      document.removeEventListener("visibilitychange", this.#wake);
      globalThis.removeEventListener("online", this.#wake);
    };
  }

  readonly #wake = (): void => {
    if (this.#watchers > 0 && document.visibilityState === "visible" && navigator.onLine) void this.reload();
  };

  async #read(): Promise<void> {
    const result = await this.#load();
    const { value, problem } = this.state.value;
    if (result.ok) {
      this.#failures = 0;
      // Unchanged data keeps its identity, which skips a re-render of up to a thousand cards.
      const isSame = JSON.stringify(value) === JSON.stringify(result.value);
      if (!isSame || problem !== null)
        this.state.set({ value: isSame ? value : result.value, problem: null });
    } else {
      this.#failures += 1;
      this.state.set({ value, problem: result.problem });
    }
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const { value, problem } = this.state.value;
    if (this.#watchers === 0 || document.visibilityState === "hidden" || !navigator.onLine) return;
    if (problem !== null && !isTemporary(problem.status)) return;
    const usual =
      typeof this.#interval === "function" ? (value === null ? null : this.#interval(value)) : this.#interval;
    const often =
      usual !== null && usual > FAST_POLL_MS && this.subject !== null && watched.hasEvents
        ? POLL_WITH_EVENTS_MS
        : usual;
    const ms = problem === null ? often : Math.max(usual ?? 0, retryDelayMs(this.#failures));
    if (ms !== null) this.#timer = setTimeout(() => void this.reload(), ms);
  }
}

export type WatchedResource<Value> = ResourceState<Value> & { readonly reload: () => Promise<void> };

const stateOfNone = new Signal(nothing);

/** What a component shows of data that no component watches yet. */
export const notLoaded: WatchedResource<never> = { ...nothing, reload: () => Promise.resolve() };

/**
 * Declares a kind of resource, with one resource per key. The data is cached, so that a page shows it immediately when
 * the page is opened again. @param shows the first words of the types of events that concern the resource, such as
 * `deployment`; null: none do
 * @returns a hook that watches a resource while its component is shown
 */
export function resources<Key extends string, Value>(
  load: (key: Key) => Promise<ClientResult<Value>>,
  interval: Interval<Value> = null,
  shows: string | null = null,
): (key: Key) => WatchedResource<Value> {
  const cached = cacheByKey<Resource<Value>>(MOST_CACHED);
  return (key) => useResource(() => cached(key, () => newResource(load, key, interval, shows)), key);
}

/**
 * The same without the cache: each component loads the data before it shows any. For data that the user decides by.
 * @returns a hook, like `resources` does. Without a key it loads nothing
 */
export function freshResources<Key extends string, Value>(
  load: (key: Key) => Promise<ClientResult<Value>>,
  interval: Interval<Value> = null,
  shows: string | null = null,
): (key: Key | null) => WatchedResource<Value> {
  return (key) => useResource(() => (key === null ? null : newResource(load, key, interval, shows)), key);
}

function newResource<Key extends string, Value>(
  load: (key: Key) => Promise<ClientResult<Value>>,
  key: Key,
  interval: Interval<Value>,
  shows: string | null,
): Resource<Value> {
  return new Resource(() => load(key), interval, shows === null ? null : { shows, key });
}

/** Watches a resource while the component is shown. @param find called again when the key changes */
export function useResource<Value>(
  find: () => Resource<Value> | null,
  key: string | null,
): WatchedResource<Value> {
  const resource = useMemo(find, [key]);
  useEffect(() => resource?.watch(), [resource]);
  const state = useSignal<ResourceState<Value>>(resource?.state ?? stateOfNone);
  return { ...state, reload: resource?.reload ?? notLoaded.reload };
}
