import { describe, expect, it } from "vitest";

import { CreateFreezeInput, type Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { FreezeId } from "#contract/ids.ts";
import {
  draftOfFreeze,
  type FreezeDraft,
  freezeChanges,
  freezeInput,
  newFreeze,
  readFreeze,
} from "#dashboard/pages/freezes/freeze-draft.ts";
import { readForm } from "#dashboard/text/field-errors.ts";
import { freezeTimesText } from "#dashboard/pages/freezes/freeze-texts.ts";

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

  it("shows at the second time that it is not after the first, and what a time looks like", () => {
    const draft = { ...empty, name: "x", onceFrom: "2026-12-24T16:00" };
    expect(readFreeze({ ...draft, onceTo: "2026-12-24T16:00" })).toEqual({
      ok: false,
      errors: { "times.to": "Must be after From." },
    });
    expect(readFreeze({ ...draft, onceTo: "tomorrow" })).toEqual({
      ok: false,
      errors: { "times.to": "Choose a date and a time." },
    });
    expect(readFreeze({ ...draft, onceTo: "2026-12-24T16:01" }).ok).toBe(true);
  });

  it("sends the instants of a freeze that is typed in the browser's time zone", () => {
    const input = freezeInput({
      ...empty,
      name: "x",
      onceFrom: "2026-12-24T16:00",
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
    const input = freezeInput({ ...empty, name: "x", ...part });
    expect(readForm(CreateFreezeInput, input).errors).toHaveProperty([path]);
  });
});

describe("the form for changes of a freeze", () => {
  const once = { type: "once", from: "2026-12-24T15:00:12.000Z", to: "2026-12-27T07:30:00.000Z" } as const;
  const freeze: Freeze = {
    ...{ id: FreezeId.parse(`frz_${"0".repeat(26)}`), name: "Holidays", project_id: null, times: once },
    ...{ active: false, window: null, created_at: "2026-11-20T09:14:02.355Z", created_by: null },
  };
  const changed = (of: Freeze, part: Partial<FreezeDraft>) => {
    const before = draftOfFreeze(of, "Europe/Berlin");
    const after = { ...before, ...part };
    return freezeChanges(before, after, CreateFreezeInput.parse(freezeInput(after)));
  };

  it("sends only what was changed", () => {
    expect(changed(freeze, {})).toEqual({});
    expect(changed(freeze, { name: "Winter " })).toEqual({ name: "Winter" });
    const from = new Date(2026, 11, 24, 16, 30);
    expect(changed(freeze, { onceFrom: "2026-12-24T16:30" })).toEqual({
      times: { ...once, from: from.toISOString() },
    });
  });

  it("begins with the times of a weekly freeze", () => {
    const times: Freeze["times"] = {
      type: "weekly",
      days: ["monday"],
      from: "10:00",
      to: "11:00",
      timezone: "UTC",
    };
    expect(changed({ ...freeze, times }, { weeklyTo: "12:00" })).toEqual({
      times: { ...times, to: "12:00" },
    });
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

  it("shows the times of a freeze that holds once to the minute", () => {
    const from = new Date(2026, 11, 24, 16, 30).toISOString();
    const shown = freezeTimesText({ type: "once", from, to: new Date(2026, 11, 27, 8).toISOString() });
    expect(shown).toMatch(/30.* to .*00/);
    expect(shown).not.toMatch(/:00.*:00|:30:00/);
  });
});
