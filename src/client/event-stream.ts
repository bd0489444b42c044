import type { RequestLine } from "#contract/endpoints/request-lines.ts";
import type { Problem } from "#contract/problems.ts";
import { problemIn, unexpected, unreachable } from "#client/answer.ts";
import type { Connection } from "#client/connection.ts";
import { type AnyRequest, headersOf, type Transport, urlOf } from "#client/request.ts";
import { isTemporary, retryAfterMs } from "#client/retry.ts";

/** Why to connect again, and after how many milliseconds at the earliest. `isCut`: a stream had started. */
export type StreamRetry = { readonly problem: Problem; readonly afterMs: number; readonly isCut: boolean };

/** `retry`: the stream could not be opened now. `problem`: it cannot be opened. */
export type OpenedStream =
  | { readonly kind: "open"; readonly body: ReadableStream<Uint8Array>; readonly headers: Headers }
  | ({ readonly kind: "retry" } & StreamRetry)
  | { readonly kind: "problem"; readonly problem: Problem };

/** A lost connection. @param isCut whether a stream had started */
export function connectionLost(error: unknown, baseUrl: string, isCut: boolean): StreamRetry {
  return { problem: unreachable(error, baseUrl).problem, afterMs: 0, isCut };
}

/** Requests the event stream of an endpoint. Never throws. */
export async function openEventStream(
  line: RequestLine,
  request: AnyRequest,
  transport: Transport,
  connection: Connection,
): Promise<OpenedStream> {
  const { baseUrl } = transport;
  const asStream = { ...request, headers: { ...request.headers, accept: "text/event-stream" } };
  const response = await connection.answer(async (signal) => {
    const url = urlOf(line, asStream, transport);
    return await transport.fetch(url, { headers: headersOf(asStream, transport), signal });
  });
  if (!response.ok) return { kind: "retry", ...connectionLost(response.error, baseUrl, false) };
  const { ok, status, headers, body } = response.value;
  if (!ok) {
    const text = await connection.wait(response.value.text());
    const { problem } = problemIn(text.ok ? text.value : "", response.value, baseUrl);
    return isTemporary(status)
      ? { kind: "retry", problem, afterMs: retryAfterMs(headers), isCut: false }
      : { kind: "problem", problem };
  }
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true)
    return { kind: "problem", problem: unexpected(status, baseUrl).problem };
  return { kind: "open", body, headers };
}
