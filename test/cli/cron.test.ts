import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { CronRunReading } from "#contract/endpoints/cron/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { cronJob, endedCronRun } from "../support/connected-agent/agent-socket.ts";
import { createCli } from "./support/command.ts";
import { createServerWithKey, type ServerWithKey } from "./support/server-with-key.ts";

const cli = createCli();
let gantry: Gantry;
let server: ServerWithKey;

beforeAll(async () => {
  gantry = await useGantry();
  server = await createServerWithKey(gantry, "cron");
});
afterAll(() => server.stop());
beforeEach(() => {
  server.agent.received.length = 0;
  server.agent.cronJobs = [cronJob];
  server.agent.cronRun = endedCronRun;
});

const run = (...args: string[]) =>
  cli.run(args, {
    env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token, GANTRY_PROJECT: server.projectId },
  });

type Run = Extract<CronRunReading, { ok: true }>["run"];

const ended = (change: Partial<Run>): CronRunReading => ({
  ...endedCronRun,
  run: { ...endedCronRun.run, ...change },
});

describe("gantry cron", () => {
  it("lists the jobs with their next and last run, and says why one does not run", async () => {
    const problem = "this server's policy (cron) does not allow cron jobs";
    const other = { source: "repository", next_run_at: null } as const;
    server.agent.cronJobs = [cronJob, { ...cronJob, ...other, name: "mail", runs: [], problem }];
    expect(await run("cron")).toEqual({
      code: 0,
      stdout: [
        "backup\t30 2 * * * Europe/Berlin\t2026-11-21T01:30:00.000Z\t2026-11-20T09:14:43.090Z\tok\tfrom the settings\t./backup",
        "mail\t30 2 * * * Europe/Berlin\tnever\tnever\t–\tfrom gantry.json\t./backup",
        "",
      ].join("\n"),
      stderr: `mail does not run: ${problem}.\n`,
    });
    server.agent.cronJobs = [];
    expect((await run("cron", "list")).stderr).toMatch(/^The live deployment has no cron jobs\./);
  });

  it("prints what the last run has printed, and lists the runs", async () => {
    const skipped = { ...endedCronRun.run, number: 4, status: "skipped" as const, exit_code: null, times: 3 };
    server.agent.cronJobs = [{ ...cronJob, runs: [skipped, endedCronRun.run] }];
    expect(await run("cron", "logs", "backup")).toEqual({
      ...{ code: 0, stdout: "saved\n", stderr: "Run 3 ended with exit code 0.\n" },
    });
    expect(server.agent.received.find(({ type }) => type === "read_cron_run")).toMatchObject({ run: 3 });
    expect((await run("cron", "logs", "backup", "--list")).stdout).toMatch(
      /^4\t\S+\t–\tskipped 3 times\t.*\n3\t\S+\t1\.0 s\tok\t\n$/,
    );
    expect((await run("cron", "logs", "backup", "--run", "last")).code).toBe(2);
  });

  it("runs a job now, and exits as it does", async () => {
    server.agent.cronRun = ended({ exit_code: 7 });
    expect(await run("cron", "run", "backup")).toEqual({ code: 7, stdout: "saved\n", stderr: "" });
    server.agent.cronRun = ended({ status: "timed_out", exit_code: null });
    expect((await run("cron", "run", "backup")).code).toBe(124);
    server.agent.cronRun = { ok: false, code: "is_running", message: "the previous run has not ended" };
    expect(await run("cron", "run", "backup")).toMatchObject({
      ...{ code: 104, stderr: expect.stringContaining("The previous run has not ended.") },
    });
  });
});

describe("gantry projects set --cron", () => {
  const set = (...args: string[]) => run("projects", "set", ...args, "--json");

  it("replaces the jobs of the settings", async () => {
    const given = ["--cron", "backup=30 2 * * 1-5 ./backup --all", "--cron", "backup.timezone=Europe/Berlin"];
    const saved = await set(...given, "--cron", "mail=@hourly ./mail", "--cron", "mail.timeout_seconds=60");
    expect(JSON.parse(saved.stdout)).toMatchObject({
      cron: [
        {
          ...{ name: "backup", schedule: "30 2 * * 1-5", command: "./backup --all" },
          timezone: "Europe/Berlin",
        },
        { name: "mail", schedule: "@hourly", command: "./mail", timeout_seconds: 60 },
      ],
    });
    expect(JSON.parse((await set("--no-cron")).stdout)).toMatchObject({ cron: [] });
  });
});
