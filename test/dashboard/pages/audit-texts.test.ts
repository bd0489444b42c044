import { describe, expect, it } from "vitest";

import { AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import { auditSentence, valueText } from "#dashboard/pages/audit/audit-texts.ts";

const id = (kind: string) => `${kind}_${"0".repeat(26)}`;
const shop = { type: "project", id: id("proj"), name: "shop" };
const v9 = { type: "deployment", id: id("dpl"), name: "v9" };
const ofShop = { project_id: shop.id };
const names = new Map([
  [shop.id, "shop"],
  ["srv_1", "web-1"],
]);

function sentence(action: string, told: Readonly<Record<string, unknown>> = {}): string {
  const entry = AuditEntry.parse({
    ...{ id: id("aud"), sequence: 1, timestamp: "2026-11-28T12:00:00.000Z", ip: null, request_id: null },
    ...{ actor: { type: "token", id: "tok_1", name: "CI" }, outcome: "done", code: null },
    ...{ project_id: null, target: null, changes: null, action, ...told },
  });
  return auditSentence(entry, (one) => names.get(one) ?? null);
}

describe("an entry of the audit log as a sentence", () => {
  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ["startDeployment", "deployed shop as v9", { ...ofShop, target: v9 }],
    [
      "startDeployment",
      "deployed shop as v9 in an emergency: Checkout is down",
      { ...ofShop, target: v9, changes: { emergency: { before: null, after: "Checkout is down" } } },
    ],
    ["rollBack", "rolled back shop as v9", { ...ofShop, target: v9 }],
    ["approveDeployment", "approved v9 of shop", { ...ofShop, target: v9 }],
    ["setMaintenance", "changed the maintenance of shop", { ...ofShop, target: shop }],
    ["deleteProject", "tried to delete the project shop", { outcome: "refused", target: shop }],
    [
      "createEnrollment",
      "created an enrollment for the server web-1",
      { target: { type: "server", id: "srv_1", name: null } },
    ],
    ["endSession", "ended the session tok_1", { target: { type: "session", id: "tok_1", name: null } }],
    ["createToken", "tried to create a token", { outcome: "refused" }],
    ["bakeBread", "called bakeBread for shop", { target: shop }],
  ])("%s: %s", (action, text, told) => {
    expect(sentence(action, told)).toBe(text);
  });

  it("names up to three settings that changed", () => {
    const changed = (...settings: string[]) =>
      sentence("updateProject", {
        target: shop,
        changes: Object.fromEntries(settings.map((name) => [name, { before: 1, after: 2 }])),
      });
    expect(changed()).toBe("changed settings of shop");
    expect(changed("branch")).toBe("changed branch of shop");
    expect(changed("branch", "domain", "name")).toBe("changed branch, domain and name of shop");
    expect(changed("a", "b", "c", "d")).toBe("changed a, b and 2 more settings of shop");
  });

  it("shows settings as they are sent", () => {
    expect(["npm ci", 5, true, null, "", ["main"]].map(valueText)).toEqual([
      ...["npm ci", "5", "true", "none", "none", '["main"]'],
    ]);
  });
});
