import { type ProblemCode, type Result, succeed } from "#contract/problems.ts";
import type { Answer } from "#worker/http/handler.ts";

/** An operation's result as the answer to a request. @param headersOf what its headers say of the value */
export async function answer<Value, Code extends ProblemCode>(
  operation: Promise<Result<Value, Code>>,
  headersOf: (value: Value) => Readonly<Record<string, string>> = () => ({}),
): Promise<Result<Answer<Value>, Code>> {
  const result = await operation;
  return result.ok ? succeed({ body: result.value, headers: headersOf(result.value) }) : result;
}

/** A page of a list, with a link to the next one where there is one. Source: RFC 8288. */
export function answerPage<Value extends { readonly next_cursor: string | null }, Code extends ProblemCode>(
  operation: Promise<Result<Value, Code>>,
  url: URL,
): Promise<Result<Answer<Value>, Code>> {
  return answer(operation, ({ next_cursor }) =>
    next_cursor === null ? {} : { link: nextLink(url, next_cursor) },
  );
}

function nextLink(url: URL, cursor: string): string {
  const next = new URL(url);
  next.searchParams.set("cursor", cursor);
  return `<${next.href}>; rel="next"`;
}
