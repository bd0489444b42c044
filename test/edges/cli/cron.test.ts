import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { cronJob, endedCronRun } from "../../support/connected-agent/agent-socket.ts";
import { createCli } from "../../cli/support/command.ts";
import { createServerWithKey, type ServerWithKey } from "../../cli/support/server-with-key.ts";

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

describe("gantry projects set --cron", () => {
  it.each([
    ["backup", "backup is not NAME=SCHEDULE COMMAND, such as 'backup=30 2 * * * ./backup'."],
    [
      "backup=daily",
      "--cron backup: a schedule has five fields or is one such as @daily, before the command.",
    ],
    ["backup.zone=UTC", "--cron has no field zone."],
    ["backup.timezone=UTC", "--cron backup: pass its schedule and command too"],
    ["backup=61 * * * * ./backup", "--cron backup: the schedule has the minute 61, which is not 0 to 59"],
    ["BACKUP=@daily ./backup", "--cron BACKUP: name must be a job's name"],
  ])("refuses %s", async (word, message) => {
    const refused = await run("projects", "set", "--cron", word);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
