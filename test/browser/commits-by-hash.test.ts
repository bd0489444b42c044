import { describe, expect, it } from "vitest";

import { violations } from "./support/browser.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

describe("a commit by its hash", () => {
  it("is refused if only a pull request has it, and can be deployed after a change of the settings", async () => {
    const { path, commit, git } = await repository("pulls");
    await commit({ "index.html": "main" });
    await git("checkout", "--quiet", "--detach");
    const hidden = await commit({ "index.html": "pull" });
    await git("update-ref", "refs/pull/1/head", hidden);
    await git("checkout", "--quiet", "main");
    const project = await api.createProject({ name: "pulls", server_id: local.server_id, repository: path });

    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${project.id}`);
    const deploy = async () => {
      await page.getByRole("button", { name: "Deploy", exact: true }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Commit").fill(hidden);
      await dialog.getByRole("button", { name: "Deploy", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await deploy();
    const failure = page.getByRole("region", { name: "Failure" });
    await failure.getByText("commit_not_reachable", { exact: true }).waitFor();
    await failure.getByText("No branch or tag contains this commit.").waitFor();
    await failure.getByText("set the project's commits to any").waitFor();

    await page.goto(`${local.url}/app/projects/${project.id}/settings/build`);
    await page.getByText("Advanced").click();
    const choice = page.getByLabel("Commits by hash");
    expect(await choice.inputValue()).toBe("reachable");
    await choice.selectOption("any");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await api.getProject(project.id)).toMatchObject({ commits: "any" });

    await page.goto(`${local.url}/app/projects/${project.id}`);
    await deploy();
    await page.locator("h1 .status.live").waitFor();
  });

  it("is not offered if the project deploys only branches and tags", async () => {
    const { path } = await repository("branches");
    const project = await api.createProject({
      name: "branches",
      server_id: local.server_id,
      repository: path,
      commits: "none",
    });
    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${project.id}`);
    await page.getByText("not deployed yet").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Branch").waitFor();
    expect(await page.getByRole("dialog").getByLabel("Commit").count()).toBe(0);
  });

  it("is not sent to redeploy in a project that deploys only branches and tags", async () => {
    const { path, commit } = await repository("redeployed");
    await commit({ "index.html": "one" });
    const project = await api.createProject({
      name: "redeployed",
      server_id: local.server_id,
      repository: path,
      commits: "none",
    });
    await api.ended((await api.start(project.id)).id);
    const { page } = await visit();
    await openSignedIn(page, local, `/app/projects/${project.id}`);
    const production = page.getByRole("region", { name: "Production" });
    await production.getByRole("button", { name: "Redeploy" }).click();
    await page.getByRole("heading", { name: "v2" }).waitFor();
  });
});
