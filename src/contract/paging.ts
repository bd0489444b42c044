import * as z from "zod";

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

/** A number in a query string. */
export const queryInteger = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`)
    // What the reference says of it: a query is text, and a client thinks of a number.
    .meta({ type: "integer", minimum: least, maximum: most });

/** The paging part of every list's query. A cursor is opaque to the client and belongs to one list. */
export const PageQuery = z.strictObject({
  limit: queryInteger(1, MAX_PAGE_SIZE).optional(),
  cursor: z.string().min(1).max(512).optional(),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Opaque; `null` on the last page. */
export const NextCursor = z.string().nullable();
