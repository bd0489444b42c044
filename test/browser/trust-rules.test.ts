import { afterAll, beforeAll, expect, it } from "vitest";

import { ExchangedToken, JWT_TYPE, TOKEN_EXCHANGE } from "#contract/endpoints/trust-rules/schemas.ts";
import { type JobIssuer, startJobIssuer } from "../support/job-issuer.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "live" });
let issuer: JobIssuer;
beforeAll(async () => {
  issuer = await startJobIssuer();
});
afterAll(() => issuer.close());

const claims = {
  ...{ project_id: "7", job_project_id: "7", ref_path: "refs/heads/main" },
  ...{ ref_protected: "true", pipeline_source: "push" },
};

/** Exchanges the identity token of a job. */
async function exchange(): Promise<Response> {
  const subject_token = issuer.token(local.url, claims);
  const body = JSON.stringify({ grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: JWT_TYPE });
  const headers = { "content-type": "application/json" };
  return await fetch(`${local.url}/v1/token-exchange`, { method: "POST", headers, body });
}

it("a trust rule is created, tested, changed and deleted", async () => {
  const { page } = await visit();
  await openSignedIn(page, local, "/app/tokens");
  await page.getByRole("link", { name: "Trust rules" }).click();
  await page.getByText("No trust rules").waitFor();
  const dialog = page.getByRole("dialog");

  await page.getByRole("button", { name: "Create a trust rule" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("shop, main");
  await dialog.getByRole("button", { name: "Create trust rule" }).click();
  await dialog.getByText("Required.").waitFor();
  await dialog.getByLabel("Repository ID").fill("acme/shop");
  await dialog.getByText("Must be the repository_id", { exact: false }).waitFor();
  await dialog.getByLabel("CI system").selectOption("GitLab CI");
  await dialog.getByText("Advanced").click();
  await dialog.getByLabel("Issuer").fill(issuer.url);
  await dialog.getByLabel("Project ID").fill("7");
  await dialog.getByLabel("Branch").fill("dev");
  await dialog.getByRole("button", { name: "Create trust rule" }).click();
  await page.getByText("ref_path=refs/heads/dev").waitFor();
  await page.getByText("never used").waitFor();
  expect((await exchange()).status).toBe(400);

  await page.getByRole("button", { name: "Test an identity token" }).click();
  await dialog.getByLabel("Identity token").fill(issuer.token(local.url, claims));
  await dialog.getByRole("button", { name: "Test", exact: true }).click();
  await dialog.getByText("The token has the ref_path refs/heads/main.").waitFor();
  await dialog.getByText("Claims of the token").click();
  await dialog.getByText("project_id=7").waitFor();
  await dialog.locator("footer").getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Edit shop, main" }).click();
  await dialog.getByLabel("Claims").fill("pipeline_source=push\nref_path=refs/heads/main");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("ref_path=refs/heads/main").waitFor();
  const given = await exchange();
  expect(given.status).toBe(200);
  const { access_token: token } = ExchangedToken.parse(await given.json());
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${local.url}/v1/projects/${local.project_id}`, { headers })).status).toBe(403);
  await page.reload();
  await page.getByText("used", { exact: false }).first().waitFor();

  await page.getByRole("button", { name: "Delete shop, main" }).click();
  await dialog.getByText("the tokens that they have are revoked").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No trust rules").waitFor();
  expect((await exchange()).status).toBe(400);
});
