import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, home, repository, visit } = await useDashboard();

describe("a browser that is offline for a while", () => {
  it("shows a banner, and continues the log and the list when it is online again", async () => {
    const { path, commit } = await repository("tunnel");
    await commit({ "index.html": "tunnel" });
    const wait = (name: string) => `until [ -e '${join(home, name)}' ]; do sleep 0.1; done`;
    const project = await api.createProject({
      name: "tunnel",
      server_id: local.server_id,
      repository: path,
      build_command: `echo line one; ${wait("tunnel-1")}; echo line two; ${wait("tunnel-2")}; echo line three`,
    });
    const { id } = await api.start(project.id);

    const { page, context } = await visit({ expected: /ERR_INTERNET_DISCONNECTED/ });
    await openSignedIn(page, local, `/app/deployments/${id}`);
    const lines = page.getByRole("region", { name: "Lines" });
    await lines.getByText("line one", { exact: true }).waitFor();
    await context.setOffline(true);
    const banner = page.getByText("You are offline.").first();
    await banner.waitFor();
    await writeFile(join(home, "tunnel-1"), "");
    await expect.poll(() => messagesOf(id)).toContain("line two");
    await context.setOffline(false);
    await banner.waitFor({ state: "detached" });
    await lines.getByText("line two", { exact: true }).waitFor();
    await writeFile(join(home, "tunnel-2"), "");
    await page.locator("h1 .status.live").waitFor();
    await lines.getByText("line three", { exact: true }).waitFor();
    const shown = await lines.locator(".stdout .text").allTextContents();
    expect(shown).toEqual(["line one", "line two", "line three"]);

    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").last().click();
    const list = page.getByRole("list", { name: "Deployments" });
    await list.getByText("v1").waitFor();
    await context.setOffline(true);
    await banner.waitFor();
    await api.ended((await api.start(project.id)).id);
    await context.setOffline(false);
    await list.getByRole("listitem").filter({ hasText: "v2" }).locator(".status.live").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

async function messagesOf(id: string): Promise<string[]> {
  return (await api.log(id)).map(({ message }) => message);
}
