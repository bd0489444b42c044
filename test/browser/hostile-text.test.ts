import { describe, expect, it } from "vitest";

import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";

import { createApi } from "../support/journey-api.ts";
import { openSignedIn } from "./support/sign-in.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, api, repository, visit } = await useDashboard();

/** Markup that sets a variable if it is not rendered as text. It is also a valid branch name. */
const markup = (place: string) =>
  `${place}<img/src=x/onerror=taken=1><script>taken="${place}"</script><a/href="javascript&colon;taken=1">`;

describe("names, messages and lines with markup and scripts", () => {
  it("are shown as text on every page, and no script runs", async () => {
    const [name, branch, message] = [markup("name"), markup("branch"), markup("message")];
    const { path, commit, git } = await repository("hostile");
    await commit({ "index.html": "hostile", "line.txt": `${markup("line")}\n` });
    await git("commit", "--quiet", "--allow-empty", "-m", message);
    await git("branch", branch);
    const server = await api.call("POST", "/v1/servers", { name: markup("host"), ip: "192.0.2.66" });
    expect(server.status).toBe(201);
    const made = await api.call("POST", "/v1/tokens", {
      name: markup("actor"),
      scopes: ["deployments:write", "projects:write"],
      expires_in_days: 1,
    });
    const { token } = TokenWithSecret.parse(made.json);
    const project = await api.createProject({
      name,
      domain: "hostile.localhost",
      server_id: local.server_id,
      repository: path,
      branch,
      build_command: `printf '\\033]8;;javascript:taken=1\\033\\\\link\\033]8;;\\033\\\\\\n'; cat line.txt; cat line.txt >&2; exit 1`,
    });
    const failed = await createApi(local.url, token).start(project.id);
    await api.ended(failed.id);

    const { page, context } = await visit();
    await openSignedIn(page, local, "/app/");
    const see = async (address: string, ...texts: string[]) => {
      await page.goto(local.url + address);
      for (const text of texts) await page.getByText(text).first().waitFor({ state: "attached" });
      const found = await page.evaluate(
        '[typeof taken, document.querySelectorAll(\'img[src="x"], script:not([src]), [onerror], a[href^="javascript"]\').length]',
      );
      expect(found).toEqual(["undefined", 0]);
    };
    await see("/app/", name);
    await see(`/app/projects/${project.id}`, name, branch, message);
    await see(`/app/projects/${project.id}/settings`, name);
    await see("/app/servers", markup("host"));
    await see("/app/tokens", markup("actor"));
    await see("/app/charts", name);
    await see(
      `/app/deployments/${failed.id}`,
      ...[name, branch, message, markup("actor"), markup("line"), "link"],
    );
    await page
      .getByRole("region", { name: "Failure" })
      .getByLabel("First error")
      .getByText(markup("line"))
      .first()
      .waitFor();

    const [raw] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("button", { name: "Raw" }).click(),
    ]);
    await raw.getByText(markup("line")).first().waitFor();
    expect(await raw.evaluate("[document.contentType, typeof taken]")).toEqual(["text/plain", "undefined"]);
  });
});

describe("branches and messages with invisible or text-reversing characters", () => {
  it("show these characters by their code points on every page", async () => {
    const { path, commit, git } = await repository("hidden");
    await commit({ "index.html": "hidden" });
    await git("commit", "--quiet", "--allow-empty", "-m", "Fix \u202etxt.exe");
    await git("branch", "main\u200b");
    const project = await api.createProject({
      name: "hidden",
      domain: "hidden.localhost",
      server_id: local.server_id,
      repository: path,
      branch: "main\u200b",
    });
    const { id } = await api.start(project.id);
    await api.ended(id);
    const { page } = await visit();
    await openSignedIn(page, local, "/app/");
    for (const address of [`/app/projects/${project.id}`, `/app/deployments/${id}`]) {
      await page.goto(local.url + address);
      await page.getByText("main[U+200B]").first().waitFor();
      await page.getByText("Fix [U+202E]txt.exe").first().waitFor();
    }
    expect(await page.getByText("\u202e").count()).toBe(0);
  });
});
