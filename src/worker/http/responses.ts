import { type ProblemCode, type Result, succeed } from "#contract/problems.ts";
import type { Answer } from "#worker/http/handler.ts";

/** Turns an operation's result into an answer. @param headersOf the headers for the value */
export async function answer<Value, Code extends ProblemCode>(
  operation: Promise<Result<Value, Code>>,
  headersOf: (value: Value) => Readonly<Record<string, string>> = () => ({}),
): Promise<Result<Answer<Value>, Code>> {
  const result = await operation;
  return result.ok ? succeed({ body: result.value, headers: headersOf(result.value) }) : result;
}

/** As `answer`, with a Link header to the next page if there is one. Source: RFC 8288. */
export function answerPage<Value extends { readonly next_cursor: string | null }, Code extends ProblemCode>(
  operation: Promise<Result<Value, Code>>,
  url: string,
): Promise<Result<Answer<Value>, Code>> {
  return answer(operation, ({ next_cursor }) =>
    next_cursor === null ? {} : { link: nextLink(url, next_cursor) },
  );
}

function nextLink(url: string, cursor: string): string {
  const next = new URL(url);
  next.searchParams.set("cursor", cursor);
  return `<${next.href}>; rel="next"`;
}
