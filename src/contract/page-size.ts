// Separate from paging.ts, because the client library has no schemas.

/** The largest page of most lists. */
export const MAX_PAGE_SIZE = 100;
