import { MAX_PAGE_SIZE } from "#contract/paging.ts";
import type { ClientResult } from "#client/send.ts";
import { type Found, found } from "#cli/outcome.ts";

type PageQuery = { readonly limit: number; readonly cursor?: string };

/** The rows of all pages of a list, or of as many as hold `most` rows. */
export async function readAll<Page extends { readonly next_cursor: string | null }, Row>(
  read: (query: PageQuery) => Promise<ClientResult<Page>>,
  rowsOf: (page: Page) => readonly Row[],
  most = Infinity,
): Promise<Found<readonly Row[]>> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(MAX_PAGE_SIZE, most - rows.length);
    const page: ClientResult<Page> = await read(cursor === null ? { limit } : { limit, cursor });
    if (!page.ok) return page;
    rows.push(...rowsOf(page.value));
    cursor = page.value.next_cursor;
  } while (cursor !== null && rows.length < most);
  return found(rows);
}
