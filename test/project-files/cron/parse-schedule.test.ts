import { describe, expect, it } from "vitest";

import { findCronProblem } from "#project-files/cron/find-cron-problem.ts";
import { parseSchedule } from "#project-files/cron/parse-schedule.ts";

const reasonOf = (text: string) => {
  const parsed = parseSchedule(text);
  return parsed.ok ? null : parsed.reason;
};

function setsOf(text: string) {
  const parsed = parseSchedule(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  const { minutes, hours, days, months, weekdays } = parsed.value;
  return [minutes, hours, days, months, weekdays].map((set) => [...set].toSorted((a, b) => a - b));
}

describe("a schedule", () => {
  it("has lists, ranges and steps", () => {
    const [minutes, hours, days, months, weekdays] = setsOf("*/20,5 9-17/4 1,15 1-3 1-5");
    expect(minutes).toEqual([0, 5, 20, 40]);
    expect(hours).toEqual([9, 13, 17]);
    expect(days).toEqual([1, 15]);
    expect(months).toEqual([1, 2, 3]);
    expect(weekdays).toEqual([1, 2, 3, 4, 5]);
  });

  it("has names of months and days, and Sunday is 0 and 7", () => {
    expect(setsOf("0 0 * Feb,DEC fri-sun").slice(3)).toEqual([
      [2, 12],
      [0, 5, 6],
    ]);
    expect(setsOf("0 0 * * 7")).toEqual(setsOf("0 0 * * sun"));
    expect(setsOf("0 0 * * sun-tue")[4]).toEqual([0, 1, 2]);
  });

  it("can be a shorthand", () => {
    expect(setsOf("@daily")).toEqual(setsOf("0 0 * * *"));
    expect(setsOf(" @Hourly ")).toEqual(setsOf("0 * * * *"));
  });

  it.each([
    ["", "must have five fields: minute, hour, day of the month, month and day of the week"],
    ["0 0 * * * *", "must have five fields: minute, hour, day of the month, month and day of the week"],
    ["@reboot", "must have five fields: minute, hour, day of the month, month and day of the week"],
    ["60 * * * *", "has the minute 60, which is not 0 to 59, a range such as 0-4, * or */2"],
    ["0 24 * * *", "has the hour 24, which is not 0 to 23, a range such as 0-4, * or */2"],
    ["0 0 0 * *", "has the day of the month 0, which is not 1 to 31, a range such as 1-5, * or */2"],
    ["0 0 * foo *", "has the month foo, which is not 1 to 12, a range such as 1-5, * or */2"],
    ["0 0 * * mon-", "has the day of the week mon-, which is not 0 to 7, a range such as 0-4, * or */2"],
    ["*/0 * * * *", "has the minute */0, which is not 0 to 59, a range such as 0-4, * or */2"],
    ["5/10 * * * *", "has the minute 5/10, which is not 0 to 59, a range such as 0-4, * or */2"],
    ["9-5 * * * *", "has the minute 9-5, which is not 0 to 59, a range such as 0-4, * or */2"],
    ["0 0 31 2,4 *", "never happens: no month in it has such a day"],
    ["1-sun * * * *", "has the minute 1-sun, which is not 0 to 59, a range such as 0-4, * or */2"],
    ["0 0 * mar-sun *", "has the month mar-sun, which is not 1 to 12, a range such as 1-5, * or */2"],
  ])("%j is refused with what is wrong", (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });
});

describe("a list of jobs", () => {
  const job = { name: "backup", schedule: "30 2 * * *", command: "./backup" };

  it("is refused at the field that is wrong", () => {
    expect(findCronProblem([job, { ...job, name: "mail", timezone: "Europe/Berlin" }])).toBeNull();
    expect(findCronProblem([job, job])).toMatchObject({ path: [1, "name"] });
    expect(findCronProblem([{ ...job, schedule: "nightly" }])).toMatchObject({ path: [0, "schedule"] });
    expect(findCronProblem([{ ...job, timezone: "Berlin" }])).toEqual({
      path: [0, "timezone"],
      message: "is not a known time zone, such as Europe/Berlin: Berlin",
    });
  });
});
