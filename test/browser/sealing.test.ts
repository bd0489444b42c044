import { expect, it } from "vitest";

import { bundleHpkeChecks } from "../support/bundle-hpke-checks.ts";
import { allHpkeChecks } from "../support/hpke-checks.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const dashboard = await useDashboard({ account: "empty" });

it("HPKE works in the browser, where the dashboard seals secrets", async () => {
  const { page } = await dashboard.visit();
  await page.goto(`${dashboard.local.url}/app/`);
  const made = await page.evaluate(`${await bundleHpkeChecks()}; hpke.checkHpke()`);
  expect(made).toEqual(allHpkeChecks);
});
