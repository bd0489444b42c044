import { expect, it } from "vitest";

import { deliverPush } from "../dashboard/support/deliver-push.ts";
import { violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();
const { path, commit } = await repository("pushed");
await commit({ "index.html": "pushed" });
const created = await api.createProject({ name: "pushed", server_id: local.server_id, repository: path });
const project = `/app/projects/${created.id}`;

const deliver = (url: string, secret: string, branch: string) =>
  deliverPush({ origin: local.url, hook: { url, secret }, repository: path, name: "acme/pushed", branch });

it("a hook is created, its pushes are listed with a reason, and replayed after a change", async () => {
  const { page } = await visit();
  const { signIn, press, write } = keyboardOf(page);
  await signIn(local, project);
  await press(page.getByRole("link", { name: "Pushes" }));
  await page.getByText("No push has arrived yet.").waitFor();
  await press(page.getByRole("button", { name: "Create a hook" }));
  const dialog = page.getByRole("dialog");
  const secret = (await dialog.getByLabel("Secret", { exact: true }).textContent()) ?? "";
  const url = (await dialog.getByLabel("Address of the hook").textContent()) ?? "";
  // The page reads the hooks again meanwhile, and must not lose the secret.
  await page.getByText("Waiting for its first delivery").waitFor();
  expect(await violations(page, "dark", "dialog")).toEqual([]);
  await press(dialog.getByRole("button", { name: "Done" }));
  const hook = page.getByRole("region", { name: "Hook" });
  await hook.getByText("Waiting for its first delivery").waitFor();

  expect(await deliver(url, secret, "feature")).toBe(200);
  const rows = page.getByRole("list", { name: "Pushes" }).getByRole("listitem");
  await rows.getByText("Ignored").waitFor();
  await rows.getByText("Round prices in the basket").waitFor();
  await hook.getByText("Connected").waitFor();
  const found = [...(await violations(page, "light")), ...(await violations(page, "dark"))];
  expect(found).toEqual([]);

  await press(page.getByRole("paragraph").getByRole("link", { name: "Settings" }));
  await write(page.getByLabel("Branches to deploy"), "feat*");
  await press(page.getByRole("button", { name: "Save" }));
  await page.getByText("Saved.").waitFor();
  await page.goto(`${local.url}${project}/pushes`);
  await press(page.getByRole("button", { name: "Replay feature" }));
  const replayed = rows.filter({ hasText: "Deployed" });
  await replayed.getByText("replayed").waitFor();
  await press(replayed.getByRole("link", { name: "Deployment" }));
  await page.getByRole("heading", { name: /v1/ }).waitFor();

  expect(await deliver(url, "another secret", "main")).toBe(401);
  await page.goto(`${local.url}${project}/pushes`);
  await page.getByText("The last delivery was refused").waitFor();
  await page.getByLabel("Show").selectOption("Everything delivered to the hook");
  await rows.filter({ hasText: "Refused" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await press(hook.getByRole("button", { name: "Rotate the secret" }));
  const rotated = (await dialog.getByLabel("Secret", { exact: true }).textContent()) ?? "";
  expect(rotated).not.toBe(secret);
  await press(dialog.getByRole("button", { name: "Done" }));
  expect(await deliver(url, rotated, "other")).toBe(200);
  await hook.getByText("Connected").waitFor();
  await press(hook.getByRole("button", { name: "Delete the hook" }));
  await press(dialog.getByRole("button", { name: "Delete" }));
  await page.getByText("No hook yet").waitFor();
});

it("a hook of a repository of images is for a registry, whose steps it shows", async () => {
  const images = await api.createProject({
    name: "front",
    server_id: local.server_id,
    repository: "docker://images.example.com/acme/front",
    branch: "v1",
  });
  const { page } = await visit();
  await openSignedIn(page, local, `/app/projects/${images.id}/pushes`);
  await page.getByText("the registry reports the pushes to").waitFor();
  expect(await page.getByLabel("Git host").count()).toBe(0);
  await page.getByRole("button", { name: "Create a hook" }).click();
  await page.getByRole("dialog").getByText("Auth Header").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Registry of images Waiting for its first delivery" }).waitFor();
});
