import { problemIn, unreachable } from "#client/answer.ts";
import { type AnyRequest, headersOf, urlOf } from "#client/request.ts";
import type { ClientResult } from "#client/send.ts";
import type { Endpoint, StreamedMediaType } from "#contract/endpoints/endpoint.ts";
import { transport } from "#dashboard/data/api.ts";

/** Reads an endpoint's answer in a media type other than JSON. A plain link to the API could not send the token. */
export async function readBlob(
  endpoint: Endpoint,
  given: AnyRequest,
  type: StreamedMediaType,
): Promise<ClientResult<Blob>> {
  const request = { ...given, headers: { ...given.headers, accept: type } };
  try {
    const response = await transport.fetch(urlOf(endpoint, request, transport), {
      headers: headersOf(request, transport),
    });
    const { status, headers } = response;
    const text = await response.text();
    if (!response.ok) return problemIn(text, response, transport.baseUrl);
    return { ok: true, value: new Blob([text], { type: `${type};charset=utf-8` }), status, headers };
  } catch (error) {
    return unreachable(error, transport.baseUrl);
  }
}
