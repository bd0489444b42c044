import { FieldError, Problem } from "#contract/problems.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const problemSchemas = {
  Problem: object(Problem, "Why a request was refused (RFC 9457).", {
    type: "The address of the page about this code.",
    title: "What the code means, in a few words.",
    status: "The HTTP status once more.",
    detail: "What is wrong with this request, for people.",
    code: "What is wrong, for programs. Codes never change.",
    request_id:
      "The request's id, as in the header `X-Request-Id`: whoever runs Gantry finds the request by it.",
    errors: "Which fields are wrong, where some are.",
  }),
  FieldError: object(FieldError, "A field that is wrong.", {
    pointer: "A JSON pointer into the body (RFC 6901), `?name` for a query parameter, or a header's name.",
    message: "What is wrong with it.",
  }),
} satisfies Record<string, SchemaText>;
