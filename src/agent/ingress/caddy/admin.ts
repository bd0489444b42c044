import * as z from "zod/mini";

import { sendRequest } from "#agent/lib/http/send-request.ts";
import { parseJson } from "#contract/parse-json.ts";

const Refusal = z.object({ error: z.string() });
const Authority = z.object({ root_certificate: z.string() });

/** `refused`: Caddy keeps its earlier configuration. `silent`: it is not known whether it has changed. */
export type LoadEnd =
  | { readonly kind: "loaded" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "silent"; readonly reason: string };

/** Caddy provisions a thousand sites in a tenth of a second, and may be waiting for a core. */
const LOAD_MS = 30_000;
const CHECK_MS = 5_000;
const MAX_ANSWER_BYTES = 4096;
const MAX_AUTHORITY_BYTES = 32 * 1024;

/**
 * Makes Caddy use a configuration: the whole of it, or nothing. Caddy does nothing if it has this configuration
 * already. Never throws.
 */
export async function loadConfig(socketPath: string, config: string): Promise<LoadEnd> {
  const answer = await sendRequest({
    url: new URL("http://gantry/load"),
    method: "POST",
    headers: { "content-type": "application/json" },
    body: config,
    socketPath,
    timeoutMs: LOAD_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  switch (answer.kind) {
    case "answered":
      return answer.status === 200 ? { kind: "loaded" } : { kind: "refused", reason: reasonIn(answer.body) };
    case "failed":
      return { kind: "silent", reason: answer.reason };
    case "hung":
    case "aborted":
      return { kind: "silent", reason: "no answer in time" };
  }
}

/** @returns why Caddy does not answer, as the end of a sentence; null if it does. Never throws. */
export async function checkCaddy(socketPath: string): Promise<string | null> {
  const answer = await sendRequest({
    url: new URL("http://gantry/config/admin/listen"),
    method: "GET",
    socketPath,
    timeoutMs: CHECK_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
    fresh: true,
  });
  switch (answer.kind) {
    case "answered":
      return answer.status === 200 ? null : `it answers ${answer.status}`;
    case "failed":
      return answer.reason;
    case "hung":
    case "aborted":
      return "no answer in time";
  }
}

/** @returns the certificate of Caddy's own authority in PEM, which Caddy creates if it has none; null without an answer */
export async function readRoot(socketPath: string): Promise<string | null> {
  const answer = await sendRequest({
    url: new URL("http://gantry/pki/ca/local"),
    method: "GET",
    socketPath,
    timeoutMs: CHECK_MS,
    maxBodyBytes: MAX_AUTHORITY_BYTES,
    fresh: true,
  });
  if (answer.kind !== "answered" || answer.status !== 200) return null;
  const authority = Authority.safeParse(parseJson(answer.body));
  return authority.success ? authority.data.root_certificate : null;
}

function reasonIn(body: string): string {
  const answer = Refusal.safeParse(parseJson(body));
  return answer.success ? answer.data.error : body.trim();
}
