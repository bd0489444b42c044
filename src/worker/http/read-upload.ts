import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";

/** The body of a request that is stored as it is, and its length in bytes. */
export type Upload = { readonly content: ReadableStream; readonly bytes: number };

/**
 * The body of a request for an endpoint that takes bytes. It is not read here. Its length must be known, because R2 needs it;
 * the runtime ends the stream with an error if the body has another length.
 */
export function readUpload(
  request: Request,
  { maxBodyBytes }: Pick<Endpoint, "maxBodyBytes">,
): Result<Upload, "body_too_large" | "invalid_request" | "unsupported_media_type"> {
  const length = request.headers.get("content-length") ?? "";
  const bytes = /^\d{1,15}$/.test(length) ? Number(length) : 0;
  if (bytes > maxBodyBytes)
    return refuse(
      "body_too_large",
      `The body is larger than ${maxBodyBytes} bytes, the limit of this endpoint.`,
    );
  if (bytes === 0 || request.body === null)
    return refuse("invalid_request", "The body must not be empty, and have its length in Content-Length.", [
      { pointer: "Content-Length", message: "must be the length of the body, at least 1" },
    ]);
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/octet-stream" || request.headers.has("content-encoding"))
    return refuse(
      "unsupported_media_type",
      "Send the body with Content-Type: application/octet-stream, and without Content-Encoding.",
    );
  return succeed({ content: request.body, bytes });
}
