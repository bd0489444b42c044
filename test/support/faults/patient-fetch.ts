import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const GIVE_UP_MS = 120_000;
const ANSWER_MS = 15_000;
const BETWEEN_TRIES_MS = 100;

/** A `fetch` for checks: it retries with the same idempotency key until the status is below 500. */
export async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (init.method === "POST" && !headers.has("idempotency-key")) headers.set("idempotency-key", randomUUID());
  const deadline = Date.now() + GIVE_UP_MS;
  for (;;) {
    try {
      const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(ANSWER_MS) });
      // Reads the whole body, which may be cut off too.
      const body = await answer.arrayBuffer();
      if (answer.status < 500 || Date.now() > deadline)
        return new Response(body.byteLength === 0 ? null : body, answer);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await pause(BETWEEN_TRIES_MS);
  }
}
