import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const run = promisify(execFile);
const { local, api, repository, visit } = await useDashboard();

/** Requests a path with `curl`. @returns the HTTP status */
async function curl(token: string, path: string, ...args: string[]): Promise<string> {
  const { stdout } = await run("curl", [
    ...["--silent", "--show-error", "--output", "/dev/null", "--write-out", "%{http_code}"],
    ...["--header", `Authorization: Bearer ${token}`, ...args, local.url + path],
  ]);
  return stdout;
}

describe("a token for CI", () => {
  it("is created, deploys by curl, is rotated and revoked", async () => {
    const { path, commit } = await repository("ci");
    await commit({ "index.html": "ci" });
    const project = await api.createProject({ name: "ci", server_id: local.server_id, repository: path });

    const { page, context } = await visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openSignedIn(page, local, "/app/tokens");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Create a token" }).click();
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.locator(".error").first().waitFor();
    await dialog.getByLabel("Name").fill("CI of ci");
    await dialog.getByLabel("Access").selectOption("Only selected projects");
    await dialog.getByLabel("ci", { exact: true }).check();
    await dialog.getByRole("button", { name: "Create token" }).click();
    const shown = dialog.getByLabel("Token", { exact: true });
    await shown.waitFor();
    const token = (await shown.textContent()) ?? "";
    await dialog.getByRole("button", { name: "Copy" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(token);

    const deploy = ["/v1/deploy", "--json", JSON.stringify({ project_id: project.id })] as const;
    expect(await curl(token, ...deploy)).toBe("201");
    expect(await curl(token, "/v1/servers")).toBe("403");
    expect(await curl(token, `/v1/projects/${local.project_id}`)).toBe("404");
    await page.reload();
    const row = page.getByRole("row").filter({ hasText: "CI of ci" });
    const choose = async (action: string) => {
      await row.getByRole("button", { name: "Actions for CI of ci" }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await row.getByText("never").waitFor({ state: "detached" });
    await row.getByText("Deploy, roll back, scale, cancel and delete").waitFor();
    await row.getByRole("cell").getByText("ci", { exact: true }).waitFor();

    await choose("Rotate");
    await shown.waitFor();
    const rotated = (await shown.textContent()) ?? "";
    expect(rotated).not.toBe(token);
    await page.keyboard.press("Escape");
    await row.getByText("Old secret expires").waitFor();
    expect(await curl(rotated, `/v1/projects/${project.id}`)).toBe("200");
    expect(await curl(token, `/v1/projects/${project.id}`)).toBe("200");

    await choose("Revoke");
    await dialog.getByText("lose access immediately").waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect(await curl(rotated, `/v1/projects/${project.id}`)).toBe("401");
    expect(await curl(token, `/v1/projects/${project.id}`)).toBe("401");
  });
});
