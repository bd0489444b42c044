import { describe, expect, it } from "vitest";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { parseKnown } from "#contract/tolerant.ts";

import { samplesOf } from "../support/grown.ts";

const answers = Object.entries<Endpoint>(endpoints).flatMap(([name, { success }]) =>
  success.body === null ? [] : [{ name, schema: success.body }],
);

describe("an answer of a newer control plane", () => {
  it.each(answers)(
    "of $name is read with fields and values that this version does not know",
    ({ schema }) => {
      const samples = samplesOf(schema);
      expect(samples.length).toBeGreaterThan(0);
      for (const { old, grown } of samples) {
        const expected = parseKnown(schema, old);
        expect(expected).toMatchObject({ success: true });
        expect(parseKnown(schema, grown)).toEqual(expected);
      }
    },
  );

  it("keeps the values that it does not know, of actors, scopes, kinds of tokens and types of events", () => {
    const seen = JSON.stringify(answers.flatMap(({ schema }) => samplesOf(schema)));
    const parts = [
      `"actor":{"type":"added.value"`,
      `"target":{"type":"added.value"`,
      `"scopes":["added.value"]`,
      `"kind":"added.value"`,
      `"type":"added.value","timestamp"`,
    ];
    expect(parts.filter((part) => !seen.includes(part))).toEqual([]);
  });
});
