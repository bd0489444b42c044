import { expect, it } from "vitest";

import { cronChange, cronDraft, cronErrors, newJob } from "#dashboard/pages/settings/cron-draft.ts";

const backup = { name: "backup", schedule: "30 2 * * *", command: "./backup", timeout_seconds: 600 };
const shown = cronDraft([backup]);

it("jobs that are shown unchanged are no change, also with spaces around them", () => {
  expect(cronChange(shown, [backup])).toBeNull();
  expect(cronChange([{ ...newJob, ...shown[0], command: " ./backup " }], [backup])).toBeNull();
});

it("a change sends all jobs, without the fields that are empty", () => {
  const report = { ...newJob, name: "report", schedule: "@daily", command: "./report" };
  expect(cronChange([...shown, report], [backup])).toEqual([
    backup,
    { name: "report", schedule: "@daily", command: "./report" },
  ]);
  expect(cronChange([], [backup])).toEqual([]);
});

it("a wrong schedule, an unknown time zone and a name that is used twice are errors of their fields", () => {
  const errorOf = (change: Partial<typeof newJob>) =>
    cronErrors([...shown, { ...newJob, ...shown[0], ...change }]);
  expect(Object.keys(errorOf({}))).toEqual(["cron.1.name"]);
  expect(Object.keys(errorOf({ name: "other", schedule: "30 25 * * *" }))).toEqual(["cron.1.schedule"]);
  expect(Object.keys(errorOf({ name: "other", timezone: "Mars/Base" }))).toEqual(["cron.1.timezone"]);
  expect(errorOf({ name: "other" })).toEqual({});
});

it("an empty schedule asks for one, also beside other empty fields", () => {
  expect(cronErrors([newJob])).toEqual({ "cron.0.schedule": "Enter a schedule." });
  expect(cronErrors([...shown, { ...newJob, ...shown[0], name: "other", schedule: " " }])).toEqual({
    "cron.1.schedule": "Enter a schedule.",
  });
});
