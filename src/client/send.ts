import type { Endpoint, OutputOf } from "#contract/endpoints/endpoint.ts";
import { succeed, type Success } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { type Failed, problemIn, unexpected, unreachable } from "#client/answer.ts";
import { type AnyRequest, headersOf, isBytes, type Transport, urlOf } from "#client/request.ts";
import { retryAfterMs } from "#client/retry.ts";

/**
 * The result of a call. A problem is the control plane's, or one of the client's: `unreachable` (status 0) without a
 * response, `unexpected_answer` if the response is not from Gantry or from another version of it.
 */
export type ClientResult<Value> =
  | (Success<Value> & { readonly status: number; readonly headers: Headers })
  | Failed;

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
) => {
  let response: Response;
  let text: string;
  try {
    response = await transport.fetch(urlOf(endpoint, request, transport), {
      method: endpoint.method,
      headers: headersOf(request, transport),
      ...(request.body === undefined
        ? {}
        : { body: isBytes(request.body) ? request.body : JSON.stringify(request.body) }),
    });
    text = await response.text();
  } catch (error) {
    return unreachable(error, transport.baseUrl);
  }
  const { status, headers } = response;
  if (!response.ok)
    return { ...problemIn(text, response, transport.baseUrl), retryAfterMs: retryAfterMs(headers) };
  // The API can gain fields at any time. Unknown fields are dropped.
  const value = parseKnown<Of["success"]["body"]>(endpoint.success.body, parseJson(text));
  return value.success ? { ...succeed(value.data), status, headers } : unexpected(status, transport.baseUrl);
};
