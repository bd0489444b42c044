import * as z from "zod/mini";

import { type Endpoint, parseWith } from "#contract/endpoints/endpoint.ts";
import { takesIfLive, takesLastEventId } from "#contract/endpoints/endpoint-facts.ts";
import { DeploymentId } from "#contract/ids.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { bodyErrors, nameErrors, queryErrors } from "#worker/http/field-errors.ts";
import type { Input, MediaTypeOf } from "#worker/http/handler.ts";
import { preferredMediaType } from "#worker/http/media-type.ts";
import { readBody } from "#worker/http/read-body.ts";
import type { readUpload } from "#worker/http/read-upload.ts";
import { readQuery } from "#worker/http/read-query.ts";

/** The paths that only agents use. */
const AGENT_PATHS = "/v1/agent/";

const NoQuery = z.strictObject({});

type Addressed = {
  readonly params: Record<string, string>;
  readonly url: URL;
  /** The address of this installation. */
  readonly origin: string;
};

/**
 * Validates a request against its endpoint: path, query, headers, body, in this order. A malformed id in the path is
 * `not_found`.
 */
export async function readInput<Of extends Endpoint>(
  endpoint: Of,
  request: Request,
  { params: pathParameters, url, origin }: Addressed,
): Promise<Result<Input<Of>>> {
  const params = parseWith<Of["params"]>(endpoint.params, pathParameters);
  if (!params.success) return refuse("not_found", "The path contains a malformed id.");
  const values = readQuery(url);
  if (!values.ok) return values;
  const noQuery = parseWith(endpoint.query === null ? NoQuery : null, values.value);
  if (!noQuery.success) return invalidQuery(noQuery.error);
  const query = parseWith<Of["query"]>(endpoint.query, values.value);
  if (!query.success) return invalidQuery(query.error);
  const ifLive = takesIfLive(endpoint) ? readIfLive(request) : succeed(null);
  if (!ifLive.ok) return ifLive;
  const lastEventId = takesLastEventId(endpoint) ? readLastEventId(request) : succeed(null);
  if (!lastEventId.ok) return lastEventId;
  const json = endpoint.body === null ? succeed(null) : await readBody(request, endpoint);
  if (!json.ok) return json;
  const upload = endpoint.takes === "bytes" ? await readBytes(request, endpoint) : succeed(null);
  if (!upload.ok) return upload;
  // Agents may be newer, so their unknown fields are ignored. Other clients get an error for them.
  const isOfAgents = endpoint.path.startsWith(AGENT_PATHS);
  const parse = isOfAgents ? parseKnown : parseWith;
  const body = parse<Of["body"]>(endpoint.body, json.value);
  const errors = body.success ? [] : bodyErrors(body.error);
  // A schema does not see these in a record.
  const names = isOfAgents ? [] : nameErrors(json.value);
  if (!body.success || names.length > 0) {
    const further = names.filter(({ pointer }) => errors.every((error) => error.pointer !== pointer));
    return refuse("invalid_request", "The body is not valid.", [...errors, ...further]);
  }
  return succeed({
    params: params.data,
    query: query.data,
    body: body.data,
    upload: upload.value,
    sent: { ...values.value, ...objectOf(json.value) },
    ifLive: ifLive.value,
    lastEventId: lastEventId.value,
    mediaType: preferredMediaType<MediaTypeOf<Of>>(request.headers.get("accept"), [
      "application/json",
      ...endpoint.alsoAs,
    ]),
    url: `${origin}${url.pathname}${url.search}`,
  });
}

/** Loaded when it is called, because few requests upload something. */
async function readBytes(...asked: Parameters<typeof readUpload>) {
  return (await import("#worker/http/read-upload.ts")).readUpload(...asked);
}

function invalidQuery(error: z.core.$ZodError) {
  return refuse("invalid_request", "The query is not valid.", queryErrors(error));
}

function readIfLive(request: Request): Result<DeploymentId | null, "invalid_request"> {
  const header = request.headers.get("if-live");
  if (header === null) return succeed(null);
  const id = DeploymentId.safeParse(header);
  if (id.success) return succeed(id.data);
  return refuse("invalid_request", "The header If-Live must contain the id of a deployment.", [
    { pointer: "If-Live", message: "must be an id of the form dpl_…" },
  ]);
}

/** The id of the last event that the client received. 0 and a missing header mean none. */
function readLastEventId(request: Request): Result<number | null, "invalid_request"> {
  const header = request.headers.get("last-event-id");
  if (header === null) return succeed(null);
  if (/^\d{1,15}$/.test(header)) return succeed(Number(header));
  return refuse(
    "invalid_request",
    "The header Last-Event-ID must contain the id of an event of this stream.",
    [{ pointer: "Last-Event-ID", message: "must be a number, like the ids of the stream" }],
  );
}
