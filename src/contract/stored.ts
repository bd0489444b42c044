import type * as z from "zod/mini";

import type { Parsed } from "#contract/endpoints/endpoint.ts";
import { parseKnown } from "#contract/tolerant.ts";

/** How records of a schema are read from where this or another version has stored them. */
export type Stored<Value> = {
  /** @throws if the record is invalid */
  readonly parse: (value: unknown) => Value;
  readonly safeParse: (value: unknown) => Parsed<Value>;
};

/** The schemas of all records that the loaded modules read. A test adds fields to a record of each. */
export const storedSchemas: z.ZodMiniType[] = [];

/**
 * Reads stored records of a schema as `parseKnown` does: after an update was undone, the records have fields and values of
 * the newer version.
 */
export function storedAs<Schema extends z.ZodMiniType>(schema: Schema): Stored<z.output<Schema>>;
export function storedAs(schema: z.ZodMiniType): Stored<unknown> {
  storedSchemas.push(schema);
  return {
    parse(value) {
      const parsed = parseKnown(schema, value);
      if (!parsed.success) throw parsed.error;
      return parsed.data;
    },
    safeParse: (value) => parseKnown(schema, value),
  };
}
