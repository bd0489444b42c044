import { expect, it } from "vitest";

import { storedSchemas } from "#contract/stored.ts";
import { parseKnown } from "#contract/tolerant.ts";
import worker from "#worker/main.ts";

import { samplesOf } from "../../support/grown.ts";

it("reads records of a newer version, without the fields that this version does not know", () => {
  expect(worker).toBeDefined();
  expect(storedSchemas.length).toBeGreaterThan(30);
  for (const schema of storedSchemas)
    for (const { old, grown } of samplesOf(schema)) {
      const expected = parseKnown(schema, old);
      if (!expected.success) throw new Error(`Add a value to grown.ts: ${expected.error.message}`);
      expect(parseKnown(schema, grown)).toEqual(expected);
    }
});
