import { type ClientOf, createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";

import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";

import { Problem } from "./problem.ts";

const TIMEOUT_MS = 15_000;

const endpoints = { ...clientEndpoints, ...projectChangeEndpoints };

/** The client of `npm start`. */
export type Api = ClientOf<typeof endpoints>;

/** A typed client for the API of an installation. Each request times out after TIMEOUT_MS. */
export function createApi(transport: Transport): Api {
  return createClientOf(endpoints, {
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
