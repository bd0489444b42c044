import * as z from "zod/mini";

/** What a page of the reference tells its script about an operation, so that a reader can try it. */
export const TriedOperation = z.strictObject({
  id: z.string(),
  /** In upper case. */
  method: z.string(),
  /** With parameters in braces. */
  path: z.string(),
  takesToken: z.boolean(),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(["path", "query", "header"]),
      required: z.boolean(),
      example: z.string(),
    }),
  ),
  /** An example of the JSON; null if the operation takes no body. */
  body: z.nullable(z.string()),
});
export type TriedOperation = z.infer<typeof TriedOperation>;

/** A place in the reference or in a guide, as the search finds it. */
export const SearchEntry = z.strictObject({
  title: z.string(),
  /** Where the place is, such as the title of its guide, or a method and a path. */
  context: z.string(),
  address: z.string(),
  text: z.string(),
});
export type SearchEntry = z.infer<typeof SearchEntry>;

/** The addresses of the search index and of the script of the pages. */
export const pageFiles = { search: "/docs/search.json", script: "/docs/docs.js" } as const;
