import type { OutgoingRequest } from "#domain/outlet/outgoing-request.ts";

/** A POST of a value as JSON. */
export function jsonRequest(
  url: string,
  value: unknown,
  { headers = {}, coalesce = null, acceptedProblem = null }: Partial<OutgoingRequest> = {},
): OutgoingRequest {
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
    coalesce,
    acceptedProblem,
  };
}
