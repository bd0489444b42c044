import { refuse, type Result, succeed } from "#contract/problems.ts";
import { textErrors } from "#worker/http/field-errors.ts";

type BodyRefusal = "body_too_large" | "unsupported_media_type" | "malformed_json" | "invalid_request";

/**
 * Parses a request's body as JSON. A missing or empty body is `{}`, with any media type. Counts the bytes as they arrive,
 * because Content-Length may be wrong. Refuses text that is not well-formed Unicode, regardless of the endpoint's schema.
 */
export async function readJson(request: Request, maxBytes: number): Promise<Result<unknown, BodyRefusal>> {
  const bytes = await readBytes(request.body, maxBytes);
  if (bytes === null)
    return refuse("body_too_large", `The body is larger than ${maxBytes} bytes, the limit of this endpoint.`);
  if (bytes.length === 0) return succeed({});
  if (!isJson(request.headers.get("content-type")))
    return refuse("unsupported_media_type", "Send the body as UTF-8 with Content-Type: application/json.");
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    return refuse(
      "unsupported_media_type",
      "Send the body without Content-Encoding: it must not be compressed.",
    );
  const parsed = parse(bytes);
  if (!parsed.ok) return parsed;
  const errors = textErrors(parsed.value);
  if (errors.length > 0) return refuse("invalid_request", "The body is not well-formed Unicode.", errors);
  return parsed;
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
function isJson(contentType: string | null): boolean {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  if (type.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name = "", value = ""] = parameter.trim().split("=");
    return name !== "charset" || value === "utf-8" || value === '"utf-8"';
  });
}
