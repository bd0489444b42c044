import { problemIn, unexpected, unreachable } from "#client/answer.ts";
import { type AnyRequest, headersOf, type Transport, urlOf } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Reads the whole answer of an endpoint that streams JSON lines. Sent once: a list of many pages would take many requests
 * of the limit for a token. Fails if the answer breaks off.
 * @param parse reads a line; null: it is not a valid one, and the answer is unexpected
 * @param signal ends the request, which has no other limit of time, because a long answer takes long
 */
export async function readLines<Row>(
  endpoint: Endpoint,
  given: AnyRequest,
  parse: (line: string) => Row | null,
  transport: Transport,
  signal: AbortSignal,
): Promise<ClientResult<readonly Row[]>> {
  const request = { ...given, headers: { ...given.headers, accept: "application/x-ndjson" } };
  const { baseUrl } = transport;
  try {
    const url = urlOf(endpoint, request, transport);
    const response = await transport.fetch(url, { headers: headersOf(request, transport), signal });
    const { status, headers, body } = response;
    if (!response.ok) return problemIn(await response.text(), response, baseUrl);
    if (body === null) return unexpected(status, baseUrl);
    const rows: Row[] = [];
    for await (const line of linesOf(body)) {
      const row = parse(line);
      if (row === null) return unexpected(status, baseUrl);
      rows.push(row);
    }
    return { ...succeed(rows), status, headers };
  } catch (error) {
    return unreachable(error, baseUrl);
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const [first = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    rest += first;
    for (const line of lines) {
      yield rest;
      rest = line;
    }
  }
  if (rest !== "") yield rest;
}
