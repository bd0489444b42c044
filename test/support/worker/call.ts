import { exports } from "cloudflare:workers";
import * as z from "zod/mini";

import { Problem } from "#contract/problems.ts";

export const ORIGIN = "https://gantry.test";

type Call = {
  readonly method?: string;
  readonly token?: string | null;
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: BodyInit | null;
  readonly headers?: Record<string, string>;
  readonly redirect?: "follow" | "manual";
};

/** Sends a request to the Worker, as a client does. */
export async function call(
  path: string,
  { method = "GET", token, body, raw = null, headers = {}, redirect = "follow" }: Call = {},
) {
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { "content-type": typeOf(body) }),
      ...headers,
    },
    redirect,
    body: body === undefined ? raw : isBytes(body) ? body : JSON.stringify(body),
  });
  return await exports.default.fetch(request);
}

const isBytes = (body: unknown): body is Blob => body instanceof Blob;
const typeOf = (body: unknown) => (isBytes(body) ? "application/octet-stream" : "application/json");

/** Parses the response as a problem. The schema checks what every problem must contain. */
export async function problemOf(response: Response): Promise<Problem> {
  return z.strictObject(Problem.shape).parse(await response.json());
}
