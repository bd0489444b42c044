import { type Client, createClient } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";

import { Problem } from "./problem.ts";

const TIMEOUT_MS = 15_000;

/** A typed client for the API of an installation. Each request times out after TIMEOUT_MS. */
export function createApi(transport: Transport): Client {
  return createClient({
    ...transport,
    fetch: (url, init) => transport.fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  });
}

/** @throws Problem with the API's refusal */
export function valueOf<Value>(result: ClientResult<Value>, doing: string): Value {
  if (result.ok) return result.value;
  const { code, detail, errors = [] } = result.problem;
  const fields = errors.map(({ pointer, message }) => ` (${pointer}: ${message})`);
  throw new Problem(`${doing} failed: ${detail}${fields.join("")} (${code})`);
}
