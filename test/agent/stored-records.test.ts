import { readdir, readFile } from "node:fs/promises";

import { expect, it } from "vitest";

import { storedSchemas } from "#contract/stored.ts";
import { parseKnown } from "#contract/tolerant.ts";

import { samplesOf } from "../support/grown.ts";

const agentFolder = new URL("../../src/agent/", import.meta.url);

it("reads files of a newer agent, without the fields that this version does not know", async () => {
  for (const name of await readdir(agentFolder, { recursive: true })) {
    const file = new URL(name, agentFolder);
    if (name.endsWith(".ts") && (await readFile(file, "utf8")).includes("storedAs(")) await import(file.href);
  }
  expect(storedSchemas.length).toBeGreaterThan(20);
  for (const schema of storedSchemas)
    for (const { old, grown } of samplesOf(schema)) {
      const expected = parseKnown(schema, old);
      if (!expected.success) throw new Error(`Add a value to grown.ts: ${expected.error.message}`);
      expect(parseKnown(schema, grown)).toEqual(expected);
    }
});
