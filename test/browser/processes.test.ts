import { afterAll, describe, expect, it, vi } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { presetFor } from "#project-files/frameworks/preset-for.ts";
import { ProjectId } from "#contract/ids.ts";
import { createServerWithKey } from "../cli/support/server-with-key.ts";
import { crashLooping, instanceReport, processReport } from "../support/process-reports.ts";
import { faultsOf, violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "empty" });
const server = await createServerWithKey(local, "apps");
const { agent, api, projectId } = server;
afterAll(() => server.stop());

const orders = () => agent.received.flatMap((one) => (one.type === "run" ? [one.order] : []));
/** Waits for the next order, and does it. */
const serveNext = async (count: number) => {
  const order = await vi.waitFor(() => orders()[count - 1] ?? Promise.reject(new Error(`no order ${count}`)));
  await agent.completes(order);
  return order;
};
const settings = async () => Project.parse((await api.call("GET", `/v1/projects/${projectId}`)).json);

const served = { project_id: ProjectId.parse(projectId), release: 1, releases: [1], url: null };
const webs = [instanceReport("web-1-0", { restarts: 1 }), instanceReport("web-1-1")];
const web = processReport("web", { wanted: 2, instances: webs });
const worker = processReport("worker", { instances: [instanceReport("worker-1-0", crashLooping)] });

describe("the processes of a project", () => {
  it("are added in the settings, shown with their instances, and changed by keyboard", async () => {
    const { page } = await visit();
    const { signIn, press, choose, write, goTo, receivesFocus } = keyboardOf(page);
    await signIn(local, `/app/projects/${projectId}/settings/processes`);
    const another = page.getByLabel("Another process");
    for (const name of ["web", "worker"]) {
      await write(another, name);
      await press(page.getByRole("button", { name: "Add the process" }));
      const fields = page.getByRole("group", { name: `Process ${name}` });
      await receivesFocus(fields.getByLabel("Command"));
      await write(fields.getByLabel("Command"), `node ${name}.js`);
    }
    const saved = page.getByText("Saved. Changes apply from the next deployment.");
    await press(page.getByRole("button", { name: "Save" }));
    await saved.waitFor();
    await page.goto(`${local.url}/app/projects/${projectId}/settings/domains`);
    await write(page.getByLabel("Host names that redirect to the domain"), "www.apps.test");
    await press(page.getByRole("button", { name: "Save" }));
    await saved.waitFor();
    await press(page.getByRole("button", { name: "Check the records" }));
    await page.getByText("www.apps.test leads to 198.51.100.7, which is not the server.").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await settings()).toMatchObject({
      processes: { web: { command: "node web.js" }, worker: { command: "node worker.js" } },
      aliases: [{ domain: "www.apps.test", redirect: true }],
    });

    const section = (name: string) =>
      page.getByRole("navigation", { name: "Project" }).getByRole("link", { name });
    await press(section("Processes"));
    const card = (name: string) => page.getByRole("article", { name });
    await card("web").getByText("Not deployed yet").waitFor();
    await api.start(projectId);
    await serveNext(1);
    agent.processes = [web, worker];
    await card("web").getByText("2 of 2 live").waitFor();
    await card("web").getByText("1 restart").waitFor();
    await card("web")
      .getByRole("img", { name: /^Memory: 80 MiB to 80 MiB/ })
      .first()
      .waitFor();
    await card("worker").getByText("worker-1-0 keeps ending.").waitFor();
    await goTo(page.getByLabel("Last lines of worker-1-0"));
    await page.getByText("Error: connect ECONNREFUSED 127.0.0.1:5432").waitFor();

    await press(page.getByRole("button", { name: "Show live output" }));
    const follow = await agent.receives("follow_output");
    const printed = { line: 1, instance: "web-1-0", message: "listening", time: "2026-11-20T10:00:03.000Z" };
    agent.prints(projectId, follow.reader, [printed]);
    agent.prints(
      projectId,
      null,
      [{ line: 2, instance: "web-1-0", message: "\u001b[31mGET /\u001b[0m 500" }],
      4,
    );
    const output = page.getByRole("log", { name: "Lines of the output" });
    await output.getByText("listening").waitFor();
    await output.getByText("GET /").waitFor();
    await output.getByText("4 lines are left out").waitFor();
    expect(await output.locator("time").evaluateAll((all) => all.map((one) => one.dateTime))).toEqual([
      printed.time,
    ]);

    expect(await faultsOf(page)).toEqual([]);

    await press(page.getByRole("button", { name: "Stop showing output" }));

    const dialog = page.getByRole("dialog");
    await press(section("Deployments"));
    const production = page.getByRole("region", { name: "Production" });
    await production.locator(".status.live").waitFor();
    // The page hears of it without a reload.
    agent.serving({ ...served, processes: [web, worker] });
    await production.getByRole("link", { name: "Degraded: worker 0 of 1" }).waitFor();
    const reason = production.getByRole("list", { name: "What does not work" }).getByRole("listitem");
    expect(await reason.allTextContents()).toEqual([
      "worker 0 of 1: it ended with exit code 1. Show the output",
    ]);
    expect(await faultsOf(page)).toEqual([]);
    await press(page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Projects" }));
    await press(page.getByRole("article").getByRole("link", { name: "Degraded: worker 0 of 1" }));
    await card("worker").getByText("worker-1-0 keeps ending.").waitFor();
    await press(section("Deployments"));
    const more = page.getByRole("button", { name: "More actions" });
    await choose(more, "Maintenance");
    await write(dialog.getByLabel("Message for visitors"), "Back at noon");
    await press(dialog.getByRole("button", { name: "Turn on" }));
    await page.getByText("Back at noon").waitFor();
    expect((await settings()).maintenance).toMatchObject({ message: "Back at noon" });
    await press(page.getByRole("button", { name: "End maintenance" }));
    await page.getByText("Maintenance is on.").waitFor({ state: "detached" });

    await choose(more, "Pause");
    await write(dialog.getByLabel("Seconds"), "31");
    await page.keyboard.press("Enter");
    await dialog.getByText("Must be 1 to 30.").waitFor();
    await write(dialog.getByLabel("Seconds"), "20");
    await page.keyboard.press("Enter");
    await page.getByText("The project is paused.").waitFor();
    await press(page.getByRole("button", { name: "Resume" }));
    await page.getByText("The project is paused.").waitFor({ state: "detached" });
    const pauses = agent.received.flatMap((one) => (one.type === "set_pause" ? [one.seconds] : []));
    expect(pauses).toEqual([20, 0]);
    await press(section("Processes"));

    const scale = page.getByRole("button", { name: "Scale web" });
    await press(scale);
    await write(dialog.getByLabel("Instances"), "13");
    await page.keyboard.press("Tab");
    await dialog.getByText("Must be 12 or less.").waitFor();
    await write(dialog.getByLabel("Instances"), "3");
    await page.keyboard.press("Enter");
    await receivesFocus(scale);
    await serveNext(2);
    const result = card("web").getByRole("status");
    await result.getByText("web with 3 instances").waitFor();
    await result.locator(".status.live").waitFor();
    expect((await settings()).processes["web"]?.instances).toBe(3);

    await press(page.getByRole("button", { name: "Restart worker" }));
    expect((await serveNext(3)).restart).toEqual(["worker"]);
    await card("worker").getByRole("status").getByText("Restart of worker").waitFor();
    await result.waitFor({ state: "detached" });

    const stop = page.getByRole("button", { name: "Stop web" });
    await press(stop);
    await dialog.getByText("visitors get a page with the status 503").waitFor();
    expect(await violations(page, "dark", "dialog")).toEqual([]);
    await press(dialog.getByRole("button", { name: "Cancel" }));
    await receivesFocus(stop);
    await page.keyboard.press("Enter");
    await press(dialog.getByRole("button", { name: "Stop web" }));
    agent.processes = [processReport("web", { stopped: true, instances: [] }), worker];
    await serveNext(4);
    await press(page.getByRole("button", { name: "Start web" }));
    agent.processes = [web];
    await serveNext(5);
    await card("web").getByText("2 of 2 live").waitFor();
    // A reader that has left is noticed at the next heartbeat at the latest.
    const hasStopped = () => agent.received.some(({ type }) => type === "stop_output");
    await vi.waitFor(() => expect(hasStopped()).toBe(true));
  });
});

describe("variables that have changed since the last deployment", () => {
  it("are applied without a build, and the deployment says so", async () => {
    await api.call("PATCH", `/v1/projects/${projectId}/variables`, {
      set: [{ name: "LOG", value: "debug" }],
    });
    const { page } = await visit();
    const { signIn, press } = keyboardOf(page);
    await signIn(local, `/app/projects/${projectId}`);
    const notice = page.getByText("The variables have changed since the live deployment was started.");
    await notice.waitFor();
    await press(page.getByRole("button", { name: "Apply now" }));
    const link = page.getByRole("status").getByRole("link", { name: /^v\d+$/ });
    await link.waitFor();
    const { version } = await serveNext(6);
    await notice.waitFor({ state: "detached" });
    const row = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: `v${version}`, exact: true }) });
    await row.getByText("config", { exact: true }).waitFor();
    await press(row.getByRole("link", { name: `v${version}`, exact: true }));
    await page.getByText("to apply without a build: ").waitFor();
  });
});

describe("what the repository defines", () => {
  it("is shown in the settings, with the file that it is in", async () => {
    const { id } = await api.start(projectId);
    const order = await agent.orderOf(id);
    const preset = {
      ...presetFor("static"),
      app_type: "server" as const,
      processes: { mailer: { command: "node mailer.js" } },
      repository_definitions: {
        release_command: { command: "./migrate", from: "Procfile" as const },
        processes: { mailer: "Procfile" as const },
        cron: [{ name: "backup", schedule: "@daily", command: "./backup" }],
      },
    };
    await agent.reports(order, { type: "framework", preset });
    await agent.completes(order);
    await api.ended(id);
    const { page } = await visit();
    await keyboardOf(page).signIn(local, `/app/projects/${projectId}/settings/releases`);
    await page.getByText("Runs now: ./migrate (from Procfile)").waitFor();
    await page.getByLabel("Release command").fill("./own");
    await page.getByText("Replaces ./migrate (from Procfile)").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    const open = (section: string) => page.goto(`${local.url}/app/projects/${projectId}/${section}`);
    await open("settings/processes");
    const mailer = page.getByRole("group", { name: "Process mailer" });
    await mailer.getByText("(from Procfile)").waitFor();
    await open("settings/cron");
    const job = page.getByRole("list", { name: "Jobs of the repository" }).getByRole("listitem");
    expect(await job.textContent()).toBe("backup @daily ./backup (from gantry.json)");
    expect(await faultsOf(page)).toEqual([]);
    await open("settings/build");
    const output = page.getByLabel("Output directory");
    expect(await output.getAttribute("placeholder")).toBe("none: the app answers requests itself");
    await open("processes");
    await page.getByRole("article", { name: "mailer" }).getByText("from Procfile").waitFor();
  });
});
