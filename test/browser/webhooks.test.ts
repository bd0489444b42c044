import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { afterAll, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";

import { AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import { faultsOf, violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "empty" });

/** The requests that the target of the webhook received, and its answer. */
const received: { readonly body: string; readonly headers: Record<string, string> }[] = [];
let status = 200;
const target = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
    received.push({ body: Buffer.concat(chunks).toString(), headers });
    response.writeHead(status).end(status === 200 ? "thank you" : "not today");
  });
}).listen(0, "127.0.0.1");
await once(target, "listening");
const address = target.address();
const port = typeof address === "object" ? address?.port : null;
afterAll(() => target.close());

it("a webhook is created, tested, disabled, enabled and deleted, and shows what its target answered", async () => {
  // The event of the deletion may reach the open list of deliveries before the list of webhooks.
  const { page } = await visit({ expected: /status of 404 .*\/deliveries/ });
  const { signIn, choose, press, write } = keyboardOf(page);
  await signIn(local, "/app/webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await press(page.getByRole("button", { name: "Create a webhook" }));
  const dialog = page.getByRole("dialog");
  const create = dialog.getByRole("button", { name: "Create webhook" });
  await dialog.getByLabel("To", { exact: true }).selectOption("Commit status at the git host");
  await press(create);
  await dialog.locator(".error").first().waitFor();
  await dialog.getByLabel("To", { exact: true }).selectOption("Your own program");
  await write(dialog.getByLabel("Address"), `http://127.0.0.1:${port}/gantry`);
  await write(dialog.getByLabel("Name"), "Deploy bot");
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await press(create);
  const secret = (await dialog.getByLabel("Secret", { exact: true }).textContent()) ?? "";
  await press(dialog.getByRole("button", { name: "Done" }));

  const card = page.getByRole("article", { name: "Deploy bot" });
  await card.getByText("Active").waitFor();
  await choose(card.getByRole("button", { name: "Actions for Deploy bot" }), "Test");
  await card.getByText("The target accepted the test.").waitFor();
  await card.getByText("thank you").waitFor();
  const tested = received.find(({ body }) => body.includes("webhook.test"));
  expect(new Webhook(secret).verify(tested?.body ?? "", tested?.headers ?? {})).toMatchObject({
    type: "webhook.test",
  });

  status = 401;
  await choose(card.getByRole("button", { name: "Actions for Deploy bot" }), "Test");
  await card.getByText("The target did not accept the test.").waitFor();
  await card.getByText(/Status 401/).waitFor();
  await press(card.getByRole("button", { name: "Show deliveries of Deploy bot" }));
  const row = card.getByRole("listitem").filter({ hasText: "webhook.test" }).first();
  await row.getByText("Failed").waitFor();
  await press(row.getByRole("button", { name: "Details of webhook.test" }));
  await row.getByText("not today").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  status = 200;
  await press(row.getByRole("button", { name: "Send again: webhook.test" }));
  await row.getByText("Delivered").waitFor();

  await choose(card.getByRole("button", { name: "Actions for Deploy bot" }), "Edit");
  await write(dialog.getByLabel("Name"), "");
  await press(dialog.getByRole("button", { name: "Save" }));
  await dialog.locator(".error").first().waitFor();
  await write(dialog.getByLabel("Name"), "Deploy robot");
  await dialog.getByLabel("Events").selectOption("Only selected types");
  await press(dialog.getByLabel("server.*", { exact: true }), "Space");
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await press(dialog.getByRole("button", { name: "Save" }));
  const robot = page.getByRole("article", { name: "Deploy robot" });
  await robot.getByText("server.*").waitFor();
  await choose(robot.getByRole("button", { name: "Actions for Deploy robot" }), "Test");
  await robot.getByText("The target accepted the test.").waitFor();
  await choose(robot.getByRole("button", { name: "Actions for Deploy robot" }), "Edit");
  await write(dialog.getByLabel("Name"), "Deploy bot");
  await press(dialog.getByRole("button", { name: "Save" }));

  await choose(card.getByRole("button", { name: "Actions for Deploy bot" }), "Disable");
  await card.getByText("It gets no events.").waitFor();
  await choose(card.getByRole("button", { name: "Actions for Deploy bot" }), "Enable");
  await card.getByText("Active").waitFor();
  await choose(card.getByRole("button", { name: "Actions for Deploy bot" }), "Delete");
  await press(dialog.getByRole("button", { name: "Delete" }));
  await page.getByText("No webhooks yet").waitFor();
});

it("the audit log says who did what, with filters, details and an export", async () => {
  const { page } = await visit();
  const { signIn, press } = keyboardOf(page);
  await signIn(local, "/app/audit");
  const rows = page.getByRole("list", { name: "Audit log" }).getByRole("listitem");
  const created = rows.filter({ hasText: "created the webhook Deploy bot" });
  await created.getByText("Done").waitFor();
  await press(created.getByRole("button", { name: /^Details of entry/ }));
  await created.getByText("127.0.0.1").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    press(page.getByRole("button", { name: "Export" })),
  ]);
  const lines = (await text(await download.createReadStream())).trim().split("\n");
  expect(lines.map((line) => AuditEntry.parse(JSON.parse(line)).action)).toContain("createWebhook");
  await press(created.getByRole("button", { name: /^Only entries of/ }));
  await expect.poll(() => new URL(page.url()).search).toMatch(/actor_id=tok_/);
  await page.getByLabel("Outcome").selectOption("Refused");
  await page.getByText("No entries match the filters").waitFor();
});
