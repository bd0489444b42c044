import { type Client, createClient } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import { noteTime } from "#dashboard/data/clock.ts";
import { sendOnce } from "#dashboard/data/send-once.ts";
import { noteEnded, session } from "#dashboard/data/session.ts";

/** A request that has had no answer for so long will have none. Following a log has its own measure. */
const TIMEOUT_MS = 20_000;

/** Of the last answer: sent back, so that a replica of the database shows at least what this page has seen. */
let bookmark: string | null = null;

/** How this page reaches the control plane, as who is signed in. */
export const transport: Transport = {
  baseUrl: location.origin,
  get token() {
    const state = session.value;
    return typeof state === "string" ? null : state.token;
  },
  fetch: async (url, init) => {
    const headers = new Headers(init.headers);
    if (bookmark !== null && !headers.has("gantry-bookmark")) headers.set("gantry-bookmark", bookmark);
    const response = await fetch(url, { ...init, headers });
    noteTime(response.headers);
    bookmark = response.headers.get("gantry-bookmark") ?? bookmark;
    // An answer to who was signed in before says nothing of who is now.
    if (response.status === 401 && headers.get("authorization") === `Bearer ${transport.token}`) noteEnded();
    return response;
  },
};

/** Not `randomUUID`, which is there over HTTPS only. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** The typed client of this page. */
export const api: Client = createClient(
  {
    baseUrl: transport.baseUrl,
    get token() {
      return transport.token;
    },
    fetch: (url, init) => transport.fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  },
  sendOnce(() => performance.now(), newKey),
);
