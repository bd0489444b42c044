import { expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

it("the settings of a project that is built from a Dockerfile are set on the pages of the build and the processes", async () => {
  const { path } = await repository("image");
  const project = await api.createProject({ name: "image", server_id: local.server_id, repository: path });
  const { page } = await visit();
  const settings = `/app/projects/${project.id}/settings`;
  await openSignedIn(page, local, `${settings}/build`);
  const save = async () => {
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
  };
  await page.getByLabel("Framework").waitFor();
  expect(await page.getByLabel("Dockerfile").count()).toBe(0);
  await page.getByLabel("Framework").fill("dockerfile");
  await page.getByLabel("Dockerfile", { exact: true }).fill("docker/web.Dockerfile");
  await page.getByLabel("Stage of the image").fill("no stage");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be the name or the number of a stage of the Dockerfile").waitFor();
  await page.getByLabel("Stage of the image").fill("web");
  await save();
  expect(await violations(page)).toEqual([]);
  expect(await api.getProject(project.id)).toMatchObject({
    framework: "dockerfile",
    app_type: "server",
    dockerfile: { path: "docker/web.Dockerfile", context: ".", target: "web" },
  });

  await page.goto(`${local.url}${settings}/processes`);
  await page.getByLabel("Another process").fill("web");
  await page.getByRole("button", { name: "Add the process" }).click();
  const web = page.getByRole("group", { name: "Process web" });
  await web.getByLabel("Port of the container").fill("3000");
  await web.getByLabel("Network of the container").selectOption("host");
  expect(await violations(page)).toEqual([]);
  await save();
  expect(await api.getProject(project.id)).toMatchObject({
    processes: { web: { container_port: 3000, network: "host" } },
  });
});
