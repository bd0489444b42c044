export const nextCursor =
  "What to send as `cursor` for the next page; `null` on the last one. The header `Link` has the whole address.";
