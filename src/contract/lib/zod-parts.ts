import * as z from "zod/mini";

// `z.catch` and `z.iso` lead to whole modules of zod, and all of these would be in a bundle: 2.5 kB after gzip.

/** As `z.catch`: takes `value` instead of one that is not valid. */
export function instead<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: z.output<Schema>,
): z.ZodMiniCatch<Schema>;
export function instead(schema: z.ZodMiniType, value: unknown): z.ZodMiniCatch {
  return new z.ZodMiniCatch({ type: "catch", innerType: schema, catchValue: () => value });
}

/** As `z.iso.datetime` with an offset. */
export const dateTime = () =>
  new z.ZodMiniISODateTime({
    ...{ type: "string", format: "datetime", check: "string_format" },
    ...{ offset: true, local: false, precision: null },
  });
