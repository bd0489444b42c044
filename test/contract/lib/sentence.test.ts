import { expect, it } from "vitest";

import { sentence } from "#contract/lib/sentence.ts";

it.each([
  ["rollback as v12 is live", "Rollback as v12 is live."],
  ["v12 is live.", "v12 is live."],
  ["écrit à la main", "Écrit à la main."],
  ["", "."],
])("makes a sentence of %j", (part, whole) => {
  expect(sentence(part)).toBe(whole);
});
