import { expect, it } from "vitest";

import { allHpkeChecks, checkHpke } from "../../support/hpke-checks.ts";

it("HPKE works in workerd, where a plain value is sealed before it is stored", async () => {
  expect(await checkHpke()).toEqual(allHpkeChecks);
});
