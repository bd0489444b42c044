import { type Client, type ClientOf, createClient, createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { syncClock } from "#dashboard/data/clock.ts";
import { sendConfirmed } from "#dashboard/data/confirmation.ts";
import { sendOnce } from "#dashboard/data/send-once.ts";
import { replacementOf, REQUEST_TIMEOUT_MS, session } from "#dashboard/data/session.ts";

/** Of the last response. Sent with each request, so that a database replica is at least as new as this page. */
let bookmark: string | null = null;

/** Sends requests with the token of the current session. */
export const transport: Transport = {
  baseUrl: location.origin,
  get token() {
    const state = session.value;
    return typeof state === "string" ? null : state.token;
  },
  fetch: async (url, init) => {
    const asking = session.value;
    const headers = new Headers(init.headers);
    const response = await send(url, init, headers);
    // A late response to an earlier session must not end the current one.
    if (response.status !== 401 || typeof asking === "string") return response;
    if (headers.get("authorization") !== `Bearer ${asking.token}`) return response;
    const replacement = replacementOf(asking);
    if (replacement === null) return response;
    // Another tab has signed in again. The rejected request had no effect.
    headers.set("authorization", `Bearer ${replacement.token}`);
    return await send(url, init, headers);
  },
};

async function send(url: string, init: RequestInit, headers: Headers): Promise<Response> {
  if (bookmark !== null && !headers.has("gantry-bookmark")) headers.set("gantry-bookmark", bookmark);
  const response = await fetch(url, { ...init, headers });
  syncClock(response.headers);
  bookmark = response.headers.get("gantry-bookmark") ?? bookmark;
  return response;
}

/** Not `randomUUID`, which browsers offer over HTTPS only. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

const limited: Transport = {
  baseUrl: transport.baseUrl,
  get token() {
    return transport.token;
  },
  fetch: (url, init) => transport.fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }),
};
const how = sendConfirmed(sendOnce(() => performance.now(), newKey));

/** The typed API client of the dashboard. */
export const api: Client = createClient(limited, how);

/** As `api`, for endpoints that few pages use: they are no part of the first page. */
export function clientOf<const Of extends Readonly<Record<string, Endpoint>>>(table: Of): ClientOf<Of> {
  return createClientOf(table, limited, how);
}
