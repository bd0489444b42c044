import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { textErrors } from "#worker/http/field-errors.ts";

type BodyRefusal = "body_too_large" | "unsupported_media_type" | "malformed_json" | "invalid_request";

/**
 * Parses a request's body as JSON, or as a form if the endpoint is one of OAuth. A missing or empty body is `{}`, with any
 * media type. Counts the bytes as they arrive, because Content-Length may be wrong. Refuses text that is not well-formed
 * Unicode, regardless of the endpoint's schema.
 */
export async function readBody(
  request: Request,
  { maxBodyBytes, isOAuth }: Pick<Endpoint, "maxBodyBytes" | "isOAuth">,
): Promise<Result<unknown, BodyRefusal>> {
  const bytes = await readBytes(request.body, maxBodyBytes);
  if (bytes === null)
    return refuse(
      "body_too_large",
      `The body is larger than ${maxBodyBytes} bytes, the limit of this endpoint.`,
    );
  if (bytes.length === 0) return succeed({});
  const contentType = request.headers.get("content-type");
  const isForm = isOAuth && isMediaType(contentType, FORM);
  if (!isForm && !isMediaType(contentType, "application/json"))
    return refuse(
      "unsupported_media_type",
      `Send the body as UTF-8 with Content-Type: application/json${isOAuth ? ` or ${FORM}` : ""}.`,
    );
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    return refuse(
      "unsupported_media_type",
      "Send the body without Content-Encoding: it must not be compressed.",
    );
  const parsed = isForm ? parseForm(bytes) : parse(bytes);
  if (!parsed.ok) return parsed;
  const errors = textErrors(parsed.value);
  if (errors.length > 0) return refuse("invalid_request", "The body is not well-formed Unicode.", errors);
  return parsed;
}

const FORM = "application/x-www-form-urlencoded";

/** The fields of a form. An empty field is left out, and a repeated field is refused. Source: RFC 6749 section 3.2. */
function parseForm(bytes: Uint8Array): Result<unknown, "invalid_request"> {
  const fields = [...new URLSearchParams(new TextDecoder().decode(bytes))].filter(
    ([, value]) => value !== "",
  );
  const names = fields.map(([name]) => name);
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  if (repeated.length > 0)
    return refuse(
      "invalid_request",
      "A field of the form is given more than once.",
      repeated.map((name) => ({ pointer: `/${name}`, message: "is given more than once" })),
    );
  return succeed(Object.fromEntries(fields));
}

function parse(bytes: Uint8Array): Result<unknown, "malformed_json"> {
  try {
    return succeed(JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)));
  } catch {
    return refuse("malformed_json", "The body is not valid JSON in UTF-8.");
  }
}

/** @returns null if there are more than `maxBytes` */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Source: RFC 8259 section 8.1 (only UTF-8) and RFC 9110 section 8.3.1 (parameters, case). */
function isMediaType(contentType: string | null, wanted: string): boolean {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  if (type.trim() !== wanted) return false;
  return parameters.every((parameter) => {
    const [name = "", value = ""] = parameter.trim().split("=");
    return name !== "charset" || value === "utf-8" || value === '"utf-8"';
  });
}
