import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Request } from "playwright-core";
import { describe, expect, it } from "vitest";

import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, home, repository, visit } = await useDashboard();
const isEventStream = (request: Request) => new URL(request.url()).pathname === "/v1/events";

describe("a log that grows", () => {
  it("stays at its end until the user scrolls up, and follows again from the end", async () => {
    const { path, commit } = await repository("growing");
    await commit({ "index.html": "growing" });
    const wait = (name: string) => `until [ -e '${join(home, name)}' ]; do sleep 0.1; done`;
    const project = await api.createProject({
      name: "growing",
      server_id: local.server_id,
      repository: path,
      build_command: `seq 300; ${wait("growing-1")}; seq 301 600; ${wait("growing-2")}`,
    });
    const { id } = await api.start(project.id);

    const { page } = await visit();
    await openSignedIn(page, local, `/app/deployments/${id}`);
    const lines = page.getByRole("region", { name: "Lines" });
    const follow = page.getByLabel("Follow");
    const line = (text: string) => lines.locator(".text").getByText(text, { exact: true });
    await line("300").waitFor();
    expect(await follow.isChecked()).toBe(true);
    await page.mouse.move(640, 400);
    await page.mouse.wheel(0, -2_000);
    await line("200").waitFor();
    expect(await follow.isChecked()).toBe(false);

    await writeFile(join(home, "growing-1"), "");
    await expect.poll(async () => (await api.log(id)).length).toBeGreaterThan(600);
    await expect.poll(() => lines.evaluate((box) => box.scrollHeight)).toBeGreaterThan(600 * 20);
    expect(await line("200").isVisible()).toBe(true);
    await page.keyboard.press("End");
    await line("600").waitFor();
    await expect.poll(() => follow.isChecked()).toBe(true);

    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator("h1 .status.canceled").waitFor();
    await page.getByRole("status").getByText("v1: Canceled").waitFor();
    expect((await api.getDeployment(id)).status).toBe("canceled");
    await follow.waitFor({ state: "detached" });
  });

  it("leads the reader to the failure, which is an alert", async () => {
    const { path, commit } = await repository("breaking");
    await commit({ "index.html": "breaking" });
    const gate = join(home, "breaking-1");
    const project = await api.createProject({
      name: "breaking",
      server_id: local.server_id,
      repository: path,
      build_command: `seq 300; until [ -e '${gate}' ]; do sleep 0.1; done; echo 'Error: no flour' >&2; exit 1`,
    });
    const { id } = await api.start(project.id);

    const { page } = await visit();
    await openSignedIn(page, local, `/app/deployments/${id}`);
    await page.getByRole("region", { name: "Lines" }).getByText("300", { exact: true }).first().waitFor();
    const failure = page.getByRole("region", { name: "Failure" });
    expect(await failure.count()).toBe(0);
    await writeFile(gate, "");
    const headline = "Build failed: the build command ended with exit code 1";
    await page.getByRole("alert").getByText(`v1: ${headline}`).waitFor();
    await failure.getByLabel("First error").getByText("Error: no flour").waitFor();
    await expect.poll(() => page.evaluate("scrollY < innerHeight")).toBe(true);
  });
});

it("follows a log in eight tabs of one browser, which share the stream of events", async () => {
  const { path, commit } = await repository("tabs");
  await commit({ "index.html": "tabs" });
  const gate = join(home, "tabs-1");
  const { id: project } = await api.createProject({
    name: "tabs",
    server_id: local.server_id,
    repository: path,
    build_command: `echo first; until [ -e '${gate}' ]; do sleep 0.1; done; echo second`,
  });
  const { id } = await api.start(project);

  const first = await visit();
  let streams = 0;
  first.context.on("request", (request) => {
    if (isEventStream(request)) streams += 1;
  });
  await openSignedIn(first.page, local, `/app/deployments/${id}`);
  const pages = [first.page];
  for (let tab = 2; tab <= 8; tab += 1) {
    const page = await first.context.newPage();
    await page.goto(`${local.url}/app/deployments/${id}`);
    pages.push(page);
  }
  const shown = (text: string) =>
    Promise.all(pages.map((page) => page.locator(".text").getByText(text, { exact: true }).waitFor()));
  await shown("first");
  expect(streams).toBe(1);

  await writeFile(gate, "");
  await shown("second");
  const next = first.context.waitForEvent("request", isEventStream);
  await first.page.goto("about:blank");
  await next;
});
