import type { RequestLine } from "#contract/endpoints/request-lines.ts";

/** How to reach a control plane. `fetch` is injected, so the client runs in every runtime. */
export type Transport = {
  /** Without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  /** An API token; null if the called operations need none. */
  readonly token: string | null;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

export type AnyRequest = {
  readonly params?: Readonly<Record<string, string>>;
  /** A list is sent as its words, separated by commas. */
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Sent as JSON, or as it is if it is bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request. */
  readonly signal?: AbortSignal;
};

/** The URL of an endpoint with its parameters. */
export function urlOf(
  { path: template }: Pick<RequestLine, "path">,
  { params = {}, query = {} }: AnyRequest,
  { baseUrl }: Transport,
): string {
  const path = template.replace(/:(\w+)/g, (_, name: string) => segmentOf(params[name] ?? ""));
  const search = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return `${baseUrl}${path}${search.length === 0 ? "" : `?${search.join("&")}`}`;
}

/** A parameter as one segment of a path. A URL has no segments `.` and `..`, also if they are encoded: they lead to another path. */
function segmentOf(value: string): string {
  return /^\.{1,2}$/.test(value) ? value.replaceAll(".", "%252E") : encodeURIComponent(value);
}

/** The headers of a request. It accepts JSON unless `headers` say otherwise. */
export function headersOf({ body, headers }: AnyRequest, { token }: Transport): Record<string, string> {
  return {
    accept: "application/json",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { "content-type": isBytes(body) ? "application/octet-stream" : "application/json" }),
    ...headers,
  };
}

/** Bytes that every `fetch` takes as a body: never in memory that several threads share. */
export type BodyBytes = Uint8Array<ArrayBuffer>;

export function isBytes(body: unknown): body is BodyBytes {
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;
}
