import type { Transport } from "#client/request.ts";
import { problems } from "#contract/problems.ts";
import { transport } from "#dashboard/data/api.ts";

/** Of the six connections that a browser opens to a host over HTTP/1.1. The rest is for requests and the events. */
const SLOTS = 3;
const RETRY_SECONDS = 2;

/** A tab that finds no free slot asks here for a hidden tab's slot. */
const wanted = "locks" in navigator ? new BroadcastChannel("gantry.stream-slots") : null;

/**
 * As `transport`, for the streams of logs and output. Over HTTP/1.1 the tabs of a browser read at most three of them at
 * once, because more would leave no connection for other requests. The others are refused with `too_many_followers`: their
 * readers read what exists, and try again. A hidden tab ends its stream if a visible one wants a slot.
 */
export const streams: Transport = {
  baseUrl: transport.baseUrl,
  get token() {
    return transport.token;
  },
  fetch: async (url, init) => {
    const isStream = new Headers(init.headers).get("accept") === "text/event-stream";
    if (wanted === null || location.protocol !== "http:" || !isStream)
      return await transport.fetch(url, init);
    const slot = document.hidden ? null : await acquireSlot();
    if (slot === null) {
      if (!document.hidden) wanted.postMessage("wanted");
      return refusal();
    }
    return await fetchInSlot(url, init, slot);
  },
};

/** A lock that a tab holds while it reads a stream. The browser gives it back if the tab crashes. */
type Slot = { readonly giveBack: () => void };

async function acquireSlot(): Promise<Slot | null> {
  for (let at = 1; at <= SLOTS; at += 1) {
    const slot = await new Promise<Slot | null>((resolve) => {
      void navigator.locks.request(`gantry.stream.${at}`, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>((giveBack) => resolve({ giveBack }));
      });
    });
    if (slot !== null) return slot;
  }
  return null;
}

async function fetchInSlot(url: string, init: RequestInit, slot: Slot): Promise<Response> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(init.signal == null ? [] : [init.signal])]);
  const leave = () => {
    if (document.hidden) ended.abort();
  };
  wanted?.addEventListener("message", leave);
  const giveBack = () => {
    wanted?.removeEventListener("message", leave);
    slot.giveBack();
  };
  signal.addEventListener("abort", giveBack);
  try {
    const { body, status, headers } = await transport.fetch(url, { ...init, signal });
    if (body === null) giveBack();
    return new Response(body?.pipeThrough(new TransformStream({ flush: giveBack })), { status, headers });
  } catch (error) {
    giveBack();
    throw error;
  }
}

function refusal(): Response {
  const { status, title } = problems.too_many_followers;
  const detail = `Other tabs of this browser follow ${SLOTS} logs. This one is read every few seconds.`;
  const problem = {
    type: "about:blank",
    title,
    status,
    detail,
    code: "too_many_followers",
    request_id: "",
  };
  return Response.json(problem, { status, headers: { "retry-after": String(RETRY_SECONDS) } });
}
