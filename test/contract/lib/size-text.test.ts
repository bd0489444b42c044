import { expect, it } from "vitest";

import { sizeText } from "#contract/lib/size-text.ts";

it.each([
  [0, "0.0 MiB"],
  [700 * 1024, "0.7 MiB"],
  [80 * 2 ** 20, "80 MiB"],
  [1023 * 2 ** 20, "1023 MiB"],
  [2 ** 30, "1.0 GiB"],
  [100e9, "93.1 GiB"],
])("a size of %d bytes is shown as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
