import type { Endpoint } from "#contract/endpoints/endpoint.ts";

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

/** Where an endpoint is, with its parameters. */
export function urlOf(
  endpoint: Endpoint,
  { params = {}, query = {} }: AnyRequest,
  { baseUrl }: Transport,
): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return `${baseUrl}${path}${search.length === 0 ? "" : `?${search.join("&")}`}`;
}

/** A request's headers; what is asked for is JSON unless `headers` say otherwise. */
export function headersOf({ body, headers }: AnyRequest, { token }: Transport): Record<string, string> {
  return {
    accept: "application/json",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
}
