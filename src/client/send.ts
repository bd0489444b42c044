import type { Endpoint, OutputOf } from "#contract/endpoints/endpoint.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { type ClientResult, exchange } from "#client/exchange.ts";
import type { AnyRequest, Transport } from "#client/request.ts";

export type { ClientResult } from "#client/exchange.ts";

/** Sends a request to an endpoint. */
export type Send = <Of extends Endpoint>(
  endpoint: Of,
  request: AnyRequest,
  transport: Transport,
) => Promise<ClientResult<OutputOf<Of["success"]["body"]>>>;

/** Sends a request to an endpoint once and parses the response. */
export const send: Send = async <Of extends Endpoint>(
  endpoint: Of,
  request: AnyRequest,
  transport: Transport,
) =>
  // The API can gain fields at any time. Unknown fields are dropped.
  await exchange(endpoint, request, transport, (body) =>
    parseKnown<Of["success"]["body"]>(endpoint.success.body, body),
  );
