import type { AnyRequest } from "#client/request.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { MAX_PAGE_SIZE } from "#contract/page-size.ts";

export type CallRequest = AnyRequest & { readonly idempotencyKey?: string };

/** The rows of all pages of a list. A page is read when its first row is needed. @param rows the field with the rows */
export async function* rowsOf(
  read: (request: CallRequest) => Promise<unknown>,
  rows: string,
  request: CallRequest = {},
): AsyncGenerator<unknown, void, undefined> {
  let query: AnyRequest["query"] = { limit: MAX_PAGE_SIZE, ...request.query };
  for (;;) {
    const page = objectOf(await read({ ...request, query }));
    const found = page[rows];
    if (Array.isArray(found)) yield* found;
    const cursor = page["next_cursor"];
    if (typeof cursor !== "string") return;
    query = { ...query, cursor };
  }
}
