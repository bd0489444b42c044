import { type Endpoint, type OutputOf, type Parsed, parseWith } from "#contract/endpoint.ts";
import { Problem } from "#contract/problems.ts";
import { withoutUnknownFields } from "#client/tolerant.ts";

/** How to reach a control plane. `fetch` is given, so that the same client runs everywhere. */
export type Transport = {
  /** Without a slash at its end, and without `/v1`. */
  readonly baseUrl: string;
  /** An API token; null for the operations that need none. */
  readonly token: string | null;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

export type AnyRequest = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * What came of a call. A problem is the control plane's own, or one of the client's: `unreachable` (status 0) where no
 * answer came, `unexpected_answer` where something else than Gantry seems to have answered.
 */
export type ClientResult<Value> =
  | { readonly ok: true; readonly value: Value; readonly status: number; readonly headers: Headers }
  | { readonly ok: false; readonly problem: Problem };

/** Calls an endpoint and parses its answer. */
export async function send<Of extends Endpoint>(
  endpoint: Of,
  request: AnyRequest,
  transport: Transport,
): Promise<ClientResult<OutputOf<Of["success"]["body"]>>> {
  let response: Response;
  let text: string;
  try {
    response = await transport.fetch(urlOf(endpoint, request, transport), {
      method: endpoint.method,
      headers: headersOf(request, transport),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    text = await response.text();
  } catch (error) {
    return failed("unreachable", 0, `${transport.baseUrl} cannot be reached: ${reasonOf(error)}`);
  }
  const { status, headers } = response;
  const json = parseJson(text);
  if (!response.ok) {
    const problem = parseWith(Problem, json);
    if (problem.success) return { ok: false, problem: problem.data };
    return failed("unexpected_answer", status, `${transport.baseUrl} answered ${status} without a problem.`);
  }
  const value = parseAnswer<Of["success"]["body"]>(endpoint.success.body, json);
  if (value.success) return { ok: true, value: value.data, status, headers };
  return failed("unexpected_answer", status, `The answer of ${transport.baseUrl} is not what was expected.`);
}

// The interface can gain fields at any time, so an older client leaves out those that it does not know.
function parseAnswer<Schema extends Endpoint["success"]["body"]>(
  schema: Schema,
  json: unknown,
): Parsed<OutputOf<Schema>> {
  const parsed = parseWith(schema, json);
  if (parsed.success) return parsed;
  const known = withoutUnknownFields(json, parsed.error);
  return known === null ? parsed : parseAnswer(schema, known);
}

function urlOf(endpoint: Endpoint, { params = {}, query = {} }: AnyRequest, { baseUrl }: Transport): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return `${baseUrl}${path}${search.length === 0 ? "" : `?${search.join("&")}`}`;
}

function headersOf({ body, headers }: AnyRequest, { token }: Transport): Record<string, string> {
  return {
    accept: "application/json",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function failed(
  code: string,
  status: number,
  detail: string,
): { readonly ok: false; readonly problem: Problem } {
  const title = code === "unreachable" ? "Unreachable" : "Unexpected answer";
  return { ok: false, problem: { type: "about:blank", title, status, detail, code, request_id: "" } };
}
