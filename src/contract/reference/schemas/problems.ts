import { FieldError, Problem } from "#contract/problems.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const problemSchemas = {
  Problem: object(Problem, "Why a request was refused (RFC 9457).", {
    type: "The URL of the page about this code.",
    title: "A short title for the code.",
    status: "The HTTP status.",
    detail: "The error in this request, for people.",
    code: "The error code, for programs. Codes never change.",
    request_id:
      "The request's id, as in the `X-Request-Id` header. The administrator of the installation can find the request by it.",
    error: "The error code of OAuth 2.0 (RFC 6749), only from `POST /v1/token-exchange`.",
    errors: "The fields that are wrong, if any.",
  }),
  FieldError: object(FieldError, "An error in one field.", {
    pointer:
      "A JSON pointer into the body (RFC 6901), `?name` for a query parameter, or the name of a header.",
    message: "The error in the field.",
  }),
} satisfies Record<string, SchemaText>;
