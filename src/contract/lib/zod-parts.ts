import * as z from "zod/mini";

// `z.catch` and `z.iso` import whole modules of zod, which add 2.5 kB (gzip) to a bundle.

/** Like `z.catch`: an invalid value is replaced with `value`. */
export function instead<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: z.output<Schema>,
): z.ZodMiniCatch<Schema>;
export function instead(schema: z.ZodMiniType, value: unknown): z.ZodMiniCatch {
  return new z.ZodMiniCatch({ type: "catch", innerType: schema, catchValue: () => value });
}

/** Like `z.iso.datetime` with an offset. */
export const dateTime = () =>
  new z.ZodMiniISODateTime({
    ...{ type: "string", format: "datetime", check: "string_format" },
    ...{ offset: true, local: false, precision: null },
  });
