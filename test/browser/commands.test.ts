import { afterAll, expect, it, vi } from "vitest";

import type { CommandReading } from "#contract/endpoints/commands/schemas.ts";
import type { CronRun } from "#contract/endpoints/cron/schemas.ts";
import { createServerWithKey } from "../cli/support/server-with-key.ts";
import { cronJob, endedCommand, endedCronRun } from "../support/connected-agent/agent-socket.ts";
import { faultsOf, violations } from "./support/browser.ts";
import { keyboardOf } from "./support/keyboard.ts";
import { useDashboard } from "./support/use-dashboard.ts";

const { local, visit } = await useDashboard({ account: "empty" });
const server = await createServerWithKey(local, "commands");
const { agent, api, projectId } = server;
afterAll(() => server.stop());

/** A command that runs and has printed this. */
const running = (...messages: string[]): CommandReading => ({
  ...endedCommand,
  state: {
    ...endedCommand.state,
    ...{ status: "running", exit_code: null, message: null, finished_at: null },
    started_at: new Date().toISOString(),
  },
  lines: messages.slice(-1).map((message) => ({ stream: "stdout", message })),
  next_offset: 10 * messages.length,
  complete: false,
});

it("jobs are added in the settings, shown with their runs, run at once and stopped by keyboard", async () => {
  const skipped: CronRun = {
    ...{ ...endedCronRun.run, number: 6, times: 3 },
    ...{ status: "skipped", message: "the previous run has not ended" },
  };
  agent.cronJobs = [{ ...cronJob, runs: [skipped, { ...endedCronRun.run, number: 5, exit_code: 2 }] }];
  const { page } = await visit();
  const { signIn, press, write, receivesFocus } = keyboardOf(page);
  await signIn(local, `/app/projects/${projectId}/settings/cron`);
  await press(page.getByRole("button", { name: "Add a cron job" }));
  const fields = page.getByRole("group", { name: "Cron job" });
  await receivesFocus(fields.getByLabel("Name"));
  await write(fields.getByLabel("Name"), cronJob.name);
  await write(fields.getByLabel("Schedule"), "30 25 * * *");
  await write(fields.getByLabel("Command"), cronJob.command);
  await write(fields.getByLabel("Time zone"), "Europe/Berlin");
  await fields.getByText(/hour/).waitFor();
  await write(fields.getByLabel("Schedule"), cronJob.schedule);
  await press(page.getByRole("button", { name: "Save" }));
  await page.getByText("Saved. Changes apply from the next deployment.").waitFor();
  const saved = await api.getProject(projectId);
  expect(saved.cron).toEqual([
    { name: "backup", schedule: "30 2 * * *", command: "./backup", timezone: "Europe/Berlin" },
  ]);
  expect(await violations(page)).toEqual([]);
  await page.goto(`${local.url}/app/projects/${projectId}/commands`);
  const card = page.getByRole("article", { name: cronJob.name });
  await card.getByText(cronJob.schedule, { exact: true }).waitFor();
  await card.getByText("the previous run has not ended (3 times)").waitFor();
  await card.getByText("Exit code 2").waitFor();
  await press(card.getByRole("button", { name: `Show output of run 5 of ${cronJob.name}` }));
  const last = card.getByRole("region", { name: `Output of run 5 of ${cronJob.name}` });
  await last.getByText(endedCronRun.lines[0]?.message ?? "").waitFor();

  const now = { ...endedCronRun.run, number: 7, trigger: "manual", status: "running" } as const;
  const run = { ...now, exit_code: null, message: null, scheduled_for: null, finished_at: null };
  agent.cronRun = { ...endedCronRun, run, lines: [], next_offset: 0, complete: false };
  agent.cronJobs = [{ ...cronJob, runs: [run, skipped] }];
  await press(card.getByRole("button", { name: `Run now: ${cronJob.name}` }));
  await card.getByRole("region", { name: `Output of run 7 of ${cronJob.name}` }).waitFor();
  await card.getByText("by hand").waitFor();
  expect(await faultsOf(page)).toEqual([]);

  const ended = { ...run, status: "stopped", message: "was stopped", finished_at: run.started_at } as const;
  await press(card.getByRole("button", { name: `Stop run 7 of ${cronJob.name}` }));
  await vi.waitFor(() => expect(agent.received.some(({ type }) => type === "stop_cron_run")).toBe(true));
  agent.cronJobs = [{ ...cronJob, runs: [ended] }];
  await card.getByText("Stopped", { exact: true }).waitFor();
  agent.cronRun = endedCronRun;
});

it("a command is refused with the line to add, run, followed and stopped by keyboard", async () => {
  const { page } = await visit({ expected: /status of 409/ });
  const { signIn, press, write, goTo } = keyboardOf(page);
  await signIn(local, `/app/projects/${projectId}`);
  await press(page.getByRole("link", { name: "Commands", exact: true }));
  await page.getByText("No command has been run yet").waitFor();
  const message = 'the policy allows it with the line "commands": "any"';
  agent.command = { ok: false, code: "refused_by_policy", message };
  await write(page.getByLabel("Command", { exact: true }), "npm run import");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText('the line "commands": "any"').waitFor();

  agent.command = running("one");
  await press(page.getByRole("button", { name: "Run", exact: true }));
  const card = page.getByRole("listitem").filter({ hasText: "npm run import" });
  const output = page.getByRole("region", { name: "Output of npm run import" });
  await output.getByText("one").waitFor();
  await card.locator(".status.building").getByText("Running").waitFor();
  agent.command = running("one", "\u001b[31mtwo\u001b[0m");
  await output.getByText("two").waitFor();
  expect(await output.getByText("one").count()).toBe(1);
  expect(await page.getByLabel("Command", { exact: true }).inputValue()).toBe("");
  await goTo(output);
  expect(await faultsOf(page)).toEqual([]);

  const stopped = { status: "stopped", exit_code: null, message: "was stopped" } as const;
  await press(page.getByRole("button", { name: "Stop npm run import" }));
  await vi.waitFor(() => expect(agent.received.some(({ type }) => type === "stop_command")).toBe(true));
  agent.command = {
    ...endedCommand,
    ...{ state: { ...endedCommand.state, ...stopped }, next_offset: 30 },
    lines: [{ stream: "stderr", message: "stopping" }],
  };
  await output.getByText("stopping").waitFor();
  await card.getByText("It was stopped.").waitFor();
  await card.getByText("Stopped", { exact: true }).waitFor();
  await press(page.getByRole("button", { name: "Hide output of npm run import" }));
  await output.waitFor({ state: "detached" });

  agent.cut();
  await page.reload();
  await page.getByText("commands is not connected.").waitFor();
  await card.getByText("Unknown").waitFor();
  expect(await violations(page)).toEqual([]);
});
