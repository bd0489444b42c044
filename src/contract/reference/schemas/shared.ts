export const nextCursor =
  "The `cursor` of the next page. `null` on the last page. The `Link` header has the full URL.";
