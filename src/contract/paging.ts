import * as z from "zod/mini";

import { textBetween, textLike, textUpTo } from "#contract/bounds.ts";
import { MAX_PAGE_SIZE } from "#contract/page-size.ts";

export const DEFAULT_PAGE_SIZE = 50;

/** A number in a query string. */
export function queryInteger(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.pipe(textLike(/^\d{1,15}$/, message), z.transform(Number)).check(
    z.refine((value) => value >= least && value <= most, message),
    // For the API reference: the query is text, but clients send a number.
    z.meta({ type: "integer", minimum: least, maximum: most }),
  );
}

/** A list of words in a query string, separated by commas. */
export function separatedByCommas<Words extends Readonly<Record<string, string>>>(
  word: z.ZodMiniEnum<Words>,
) {
  const words = z.pipe(
    textUpTo(200),
    z.transform((text) => text.split(",")),
  );
  return z
    .pipe(words, z.array(word))
    .check(z.meta({ type: "array", items: { type: "string", enum: word.options } }));
}

/** The query of every list. A cursor is opaque to the client, and valid for one list only. */
export const PageQuery = z.strictObject({
  limit: z.optional(queryInteger(1, MAX_PAGE_SIZE)),
  cursor: z.optional(textBetween(1, 512)),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Opaque; `null` on the last page. */
export const NextCursor = z.nullable(z.string());
