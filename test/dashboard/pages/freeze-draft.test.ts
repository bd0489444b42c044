import { describe, expect, it } from "vitest";

import { CreateFreezeInput } from "#contract/endpoints/freezes/schemas.ts";
import { freezeInput, newFreeze } from "#dashboard/pages/freezes/freeze-draft.ts";
import { errorsOf } from "#dashboard/text/field-errors.ts";
import { freezeTimesText } from "#dashboard/text/freeze-texts.ts";

const empty = newFreeze("Europe/Berlin");

describe("the form for a freeze", () => {
  it("sends a weekly freeze with its time zone", () => {
    const input = freezeInput({ ...empty, name: " Weekend ", type: "weekly" });
    expect(CreateFreezeInput.parse(input)).toEqual({
      name: "Weekend",
      project_id: null,
      times: {
        ...{ type: "weekly", days: ["friday"], from: "16:00", to: "08:00" },
        timezone: "Europe/Berlin",
      },
    });
  });

  it("sends the instants of a freeze that is typed in the browser's time zone", () => {
    const input = freezeInput({
      ...empty,
      name: "x",
      onceFrom: "2026-12-24 16:00 ",
      onceTo: "2026-12-27T08:30",
    });
    const from = new Date("2026-12-24T16:00").toISOString();
    expect(CreateFreezeInput.parse(input)).toMatchObject({ times: { type: "once", from } });
  });

  it.each([
    [{ onceFrom: "" }, "times.from"],
    [{ onceTo: "2026-12-24" }, "times.to"],
    [{ onceTo: "2026-12-24 25:00" }, "times.to"],
    [{ type: "weekly", weeklyTo: "8" }, "times.to"],
    [{ type: "weekly", days: [] }, "times.days"],
    [{ type: "weekly", timezone: " " }, "times.timezone"],
  ] as const)("names the field that is wrong in %j", (part, path) => {
    const parsed = CreateFreezeInput.safeParse(freezeInput({ ...empty, name: "x", ...part }));
    expect(parsed.success ? {} : errorsOf(parsed.error)).toHaveProperty([path]);
  });
});

describe("the times of a freeze as text", () => {
  it("lists its days in the order of the week, and says which end is on the next day", () => {
    const weekly = { type: "weekly", from: "16:00", to: "08:00", timezone: "UTC" } as const;
    expect(freezeTimesText({ ...weekly, days: ["friday", "monday"] })).toBe(
      "Monday, Friday 16:00 to 08:00 of the next day, UTC",
    );
    expect(freezeTimesText({ ...weekly, days: ["sunday"], to: "18:00" })).toBe("Sunday 16:00 to 18:00, UTC");
  });
});
