import type { RequestLine } from "#contract/endpoints/request-lines.ts";
import { succeed, type Success } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { type Failed, problemIn, unexpected, unreachable } from "#client/answer.ts";
import { type AnyRequest, headersOf, isBytes, type Transport, urlOf } from "#client/request.ts";
import { retryAfterMs } from "#client/retry.ts";

// Without zod, which the client library does not contain. `send` reads the body with the schema of the endpoint table.

/**
 * The result of a call. A problem is the control plane's, or one of the client's: `unreachable` (status 0) without a
 * response, `unexpected_answer` if the response is not from Gantry or from another version of it.
 */
export type ClientResult<Value> =
  | (Success<Value> & { readonly status: number; readonly headers: Headers })
  | Failed;

type Read<Value> = { readonly success: true; readonly data: Value } | { readonly success: false };

/** Sends a request once. @param read reads the parsed body of a success; it gets null if there is no body or no JSON */
export async function exchange<Value>(
  line: RequestLine,
  request: AnyRequest,
  transport: Transport,
  read: (body: unknown, status: number) => Read<Value>,
): Promise<ClientResult<Value>> {
  let response: Response;
  let text: string;
  try {
    response = await transport.fetch(urlOf(line, request, transport), {
      method: line.method,
      headers: headersOf(request, transport),
      ...(request.body === undefined
        ? {}
        : { body: isBytes(request.body) ? request.body : JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    text = await response.text();
  } catch (error) {
    return unreachable(error, transport.baseUrl);
  }
  const { status, headers } = response;
  if (!response.ok)
    return { ...problemIn(text, response, transport.baseUrl), retryAfterMs: retryAfterMs(headers) };
  const value = read(parseJson(text), status);
  return value.success ? { ...succeed(value.data), status, headers } : unexpected(status, transport.baseUrl);
}
