import { describe, expect, it } from "vitest";

import { doneText, valueText } from "#dashboard/text/audit-texts.ts";

describe("an entry of the audit log as text", () => {
  it("says what was done to what", () => {
    const shop = { type: "project", id: "proj_1", name: "shop" } as const;
    expect(doneText({ action: "updateProject", target: shop })).toBe("update project shop");
    expect(doneText({ action: "setMaintenance", target: shop })).toBe("set maintenance, project shop");
    expect(doneText({ action: "endSession", target: { type: "session", id: "tok_1", name: null } })).toBe(
      "end session tok_1",
    );
    expect(doneText({ action: "createToken", target: null })).toBe("create token");
  });

  it("shows settings as they are sent", () => {
    expect(["npm ci", 5, true, null, "", ["main"]].map(valueText)).toEqual([
      ...["npm ci", "5", "true", "none", "none", '["main"]'],
    ]);
  });
});
