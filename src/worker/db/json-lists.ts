/** In UTF-16 units. D1 takes no text of more than 2,000,000 bytes, and a unit is 3 bytes of UTF-8 at most. */
const MAX_TEXT = 600_000;

/**
 * Values as JSON lists, in their order, for `json_each`: one parameter of one statement for many rows. D1 counts
 * statements, also within a batch: on the free plan it takes 50 for each call of the Worker.
 * Source: Cloudflare docs, D1, Limits.
 *
 * @returns as few lists as D1's longest text allows, as a rule one; none for no values
 */
export function jsonLists(values: readonly unknown[]): string[] {
  const lists: string[][] = [];
  let length = 0;
  for (const value of values) {
    const text = JSON.stringify(value);
    length += text.length + 1;
    const list = lists.at(-1);
    if (list !== undefined && length <= MAX_TEXT) {
      list.push(text);
    } else {
      lists.push([text]);
      length = text.length + 2;
    }
  }
  return lists.map((list) => `[${list.join(",")}]`);
}
