import * as z from "zod/mini";

import { followStream } from "#client/follow-stream.ts";
import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { eventEndpoints } from "#contract/endpoints/events/endpoints.ts";
import { scopeOf } from "#contract/endpoints/endpoint.ts";
import { missingPermission } from "#contract/may-call.ts";
import { permissionsIn, reachOf } from "#contract/permissions.ts";
import { parseJson } from "#contract/parse-json.ts";
import { transport } from "#dashboard/data/api.ts";
import { ALL, type Subject, watched } from "#dashboard/data/resource.ts";
import { type SharedEvent, shareEvents } from "#dashboard/data/share-events.ts";

/** Events that come within this time are handled together. */
const GATHER_MS = 200;
/** The shortest time between two reloads of the same data, however many events come. */
const PAUSE_MS = 2_000;
/** A replica of the database may not have what an event reports yet, so everything is read once more. */
const AGAIN_MS = 5_000;

const Received = z.object({ type: z.string() });

/**
 * Listens to the events of the account while the page is visible and the browser is online, together with the other tabs,
 * and reloads the watched data that they concern. Meanwhile this data is polled rarely. A caller that is limited to projects gets no
 * events of servers, so their pages only poll.
 */
export async function listen(account: Account, signal: AbortSignal): Promise<void> {
  const { listEvents } = eventEndpoints;
  const permissions = permissionsIn(account);
  const hasAll = reachOf(permissions, scopeOf(listEvents.access)) === null;
  if (!hasAll || missingPermission(listEvents.access, permissions) !== null) return;
  const reloads = new Reloads();
  while (!signal.aborted) {
    await untilShown(signal);
    if (signal.aborted) return;
    let hasBegun = false;
    const end = await shareEvents({
      // Other tabs may have another session.
      name: `gantry.events.${account.token.id}`,
      signal: untilHidden(signal),
      follow: (until) =>
        followStream(transport, {
          endpoint: listEvents,
          request: {},
          lastId: null,
          read: ({ data }) => ({ type: "event" as const, data }),
          signal: until,
        }),
      receive: (event) => {
        receive(event, reloads, hasBegun);
        hasBegun = true;
      },
    });
    watched.hasEvents = false;
    if (end === "refused") return;
  }
}

function receive(event: SharedEvent, reloads: Reloads, hasBegun: boolean): void {
  switch (event.type) {
    case "open":
      watched.hasEvents = true;
      // Something may have happened between the two connections.
      if (hasBegun) reloads.add(() => true);
      return;
    case "event": {
      const received = Received.safeParse(parseJson(event.data));
      if (received.success) reloads.add((subject) => concerns(received.data.type, event.data, subject));
      return;
    }
    case "closed":
      // Reads that are planned for later must be polled as usual now.
      if (watched.hasEvents) reloads.add(() => true);
      watched.hasEvents = false;
  }
}

const isShown = () => document.visibilityState === "visible" && navigator.onLine;

/** Calls a listener each time that the page may have been shown or hidden, until `signal` is aborted. */
function onChange(listener: () => void, signal: AbortSignal): void {
  document.addEventListener("visibilitychange", listener, { signal });
  for (const name of ["online", "offline"]) globalThis.addEventListener(name, listener, { signal });
  signal.addEventListener("abort", listener);
}

/** Waits until the page is visible and online, or `signal` is aborted. */
async function untilShown(signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  await new Promise<void>((resolve) => {
    const check = () => {
      if (isShown() || signal.aborted) resolve();
    };
    onChange(check, AbortSignal.any([signal, settled.signal]));
    check();
  });
  settled.abort();
}

/** A signal that is aborted when the page is hidden or offline, or with `signal`. */
function untilHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const check = () => {
    if (!isShown() || signal.aborted) hidden.abort();
  };
  onChange(check, AbortSignal.any([signal, hidden.signal]));
  check();
  return hidden.signal;
}

/** Whether an event concerns some data. @param json the event, which names the ids of its objects */
function concerns(type: string, json: string, { shows, key }: Subject): boolean {
  const [group = ""] = type.split(".");
  return (shows === "*" || shows.split(" ").includes(group)) && (key === ALL || json.includes(key));
}

type Reloaded = typeof watched.all extends Set<infer One> ? One : never;

/** Gathers what must be reloaded. */
class Reloads {
  readonly #due = new Set<Reloaded>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastAt = -Infinity;

  add(isMeant: (subject: Subject) => boolean): void {
    const before = this.#due.size;
    for (const one of watched.all) if (one.subject !== null && isMeant(one.subject)) this.#due.add(one);
    if (this.#due.size === before || this.#timer !== null) return;
    const wait = Math.max(GATHER_MS, this.#lastAt + PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => this.#reload(), wait);
  }

  #reload(): void {
    const due = [...this.#due];
    this.#due.clear();
    this.#timer = null;
    this.#lastAt = performance.now();
    reloadWatched(due);
    setTimeout(() => reloadWatched(due), AGAIN_MS);
  }
}

/**
 * Reloads the resources that are still watched, after the deletions that are under way: the page then leaves a deleted
 * object.
 */
function reloadWatched(due: readonly Reloaded[]): void {
  if (watched.removals > 0) {
    setTimeout(() => reloadWatched(due), GATHER_MS);
    return;
  }
  for (const one of due) if (watched.all.has(one)) void one.reload();
}
