import { MAX_PAGE_SIZE } from "#contract/page-size.ts";
import type { ClientResult } from "#client/send.ts";

type PageQuery = { readonly limit: number; readonly cursor?: string };

/**
 * Reads the pages of a list until its end or until `most` rows.
 * @returns the rows, with the status and headers of the last page; or the problem of the first page that failed
 */
export async function readAll<Page extends { readonly next_cursor: string | null }, Row>(
  read: (request: { readonly query: PageQuery }) => Promise<ClientResult<Page>>,
  rowsOf: (page: Page) => readonly Row[],
  most = Infinity,
): Promise<ClientResult<readonly Row[]>> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (;;) {
    const limit = Math.min(MAX_PAGE_SIZE, most - rows.length);
    const page: ClientResult<Page> = await read({ query: cursor === null ? { limit } : { limit, cursor } });
    if (!page.ok) return page;
    rows.push(...rowsOf(page.value));
    cursor = page.value.next_cursor;
    if (cursor === null || rows.length >= most) return { ...page, value: rows };
  }
}
