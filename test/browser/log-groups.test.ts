import { describe, expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("the log of a deployment", () => {
  it("has a group for each stage, which opens for a link to one of its lines", async () => {
    const { path, commit } = await repository("grouped");
    await commit({ "index.html": "grouped" });
    const long = `${"long ".repeat(100)}end`;
    const project = await api.createProject({
      name: "grouped",
      server_id: local.server_id,
      repository: path,
      build_command: `echo '${long}'; seq 100; echo 'note: on stderr' >&2`,
    });
    const { id } = await api.start(project.id);
    await api.ended(id);

    const { page } = await visit();
    const { signIn, press, receivesFocus } = keyboardOf(page);
    await signIn(local, `/app/deployments/${id}`);
    const fold = page.getByRole("button", { name: "Build" });
    const list = page.getByRole("list", { name: "Lines of Build" });
    const line = (text: string) => list.locator(".text").getByText(text, { exact: true });
    await line("1").waitFor();
    // Tools print their progress on stderr, too.
    expect(await list.locator(".bad, .caution").count()).toBe(0);

    // Each line has the time of day. The log is as high as its lines: only the page scrolls.
    expect(await list.locator("time").first().textContent()).toMatch(/\d\d\D\d\d\D\d\d/);
    const heights = await list.evaluate((shown) => [
      shown.clientHeight,
      shown.parentElement?.clientHeight ?? 0,
    ]);
    expect(heights[1]).toBeGreaterThanOrEqual(heights[0] ?? Infinity);

    // A long line is cut off at the edge until lines are wrapped.
    const row = list.locator(".row.stdout", { hasText: "long" });
    const heightOf = async () => (await row.boundingBox())?.height ?? 0;
    expect(await heightOf()).toBe(20);
    await press(page.getByLabel("Wrap"), "Space");
    await expect.poll(heightOf).toBeGreaterThan(60);
    const isWhole = await row.evaluate((shown) => shown.scrollHeight <= shown.clientHeight + 1);
    expect(isWhole).toBe(true);
    expect([...(await violations(page, "light")), ...(await violations(page, "dark"))]).toEqual([]);
    await press(page.getByLabel("Wrap"), "Space");
    await expect.poll(heightOf).toBe(20);

    const number = Number(await list.locator(".number").nth(3).textContent());
    await press(fold);
    await list.waitFor({ state: "detached" });
    expect(await fold.getAttribute("aria-expanded")).toBe("false");
    await page.evaluate(`location.hash = "L${number}"`);
    const linked = page.locator(".linked").getByLabel(`Line ${number}`);
    await linked.waitFor();

    // The arrow keys move from line to line, also out of the group.
    await linked.focus();
    await page.keyboard.press("ArrowDown");
    await receivesFocus(page.locator(".linked").getByLabel(`Line ${number + 1}`));
    const first = Number(await list.locator(".number").first().textContent());
    await page.evaluate(`location.hash = "L${first}"`);
    await page.locator(".linked").getByLabel(`Line ${first}`).focus();
    await page.keyboard.press("ArrowUp");
    await receivesFocus(page.locator(".linked").getByLabel(`Line ${first - 1}`));
  });
});
