import { type ProblemCode, problems } from "#contract/problems.ts";
import { example } from "#contract/reference/examples.ts";

import { type ResponseHeader, headers } from "./headers.ts";
import type { Response } from "./types.ts";
import { problemCauses } from "#contract/reference/problem-causes.ts";

/** The name of the response for codes with the same status, such as `InvalidRequestOrIdempotencyMismatch`. */
export function problemResponseName(codes: readonly ProblemCode[]): string {
  return codes.map(pascalCase).join("Or");
}

/** The response with one of these codes, which all have the same status. */
export function problemResponse(codes: readonly ProblemCode[]): Response {
  const [first] = codes;
  if (first === undefined) throw new Error("a response needs a code");
  const { status } = problems[first];
  const cases = codes.map((code) => `- \`${code}\`: ${problemCauses[code]}`);
  return {
    description:
      codes.length === 1 ? `\`${first}\`: ${problemCauses[first]}` : `One of:\n\n${cases.join("\n")}`,
    headers: headers("GantryBookmark", ...headersOf(status)),
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Problem" },
            {
              type: "object",
              properties: {
                status: { type: "integer", const: status },
                code: { type: "string", enum: [...codes] },
              },
            },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: problems[code].title, value: problemExample(code) }]),
        ),
      },
    },
  };
}

export function problemExample(code: ProblemCode) {
  const { title, status } = problems[code];
  const errors = [{ pointer: "/brnach", message: "is not known" }];
  return {
    type: `https://gantry.example.com/docs/problems/${code}`,
    title,
    status,
    detail: code === "invalid_request" ? "The body is not valid." : problemCauses[code],
    code,
    request_id: example.request,
    ...(code === "invalid_request" ? { errors } : {}),
  };
}

function headersOf(status: number): ResponseHeader[] {
  switch (status) {
    case 401:
      return ["Authenticate"];
    case 403:
      return ["AuthenticateScope"];
    case 429:
      return ["RetryAfter", "RateLimit"];
    case 503:
      return ["RetryAfter"];
    default:
      return [];
  }
}

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
