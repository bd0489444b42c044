import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { WebhookRows } from "#contract/endpoints/webhooks/schemas.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { faultKinds, Faults, kill, setUpForFaults } from "../../support/worker/faults.ts";
import { aroundCalls, onCalls } from "../../support/worker/intercept.ts";
import { Receiver } from "../../support/worker/receiver.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";
import { databasePrototypes } from "../../support/worker/statements.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";

setUpForFaults();

/** Runs the webhook's alarm until nothing waits, as the platform does. */
async function untilSent(webhook: TestWebhook): Promise<void> {
  await vi.waitFor(async () => {
    vi.setSystemTime(Date.now() + 60_000);
    await webhook.alarm();
    expect(await webhook.outlet().details(null)).toMatchObject({ pending: 0 });
  });
}

describe("a webhook whose object is killed", () => {
  it("after it took events sends each of them", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ delayMs: 50 });
    const events = Array.from({ length: 8 }, () => webhook.event());
    await webhook.outlet().accept(events);
    await kill(webhook.outlet);
    await untilSent(webhook);
    const received = (await webhook.receiver.received()).map(({ headers }) => headers["webhook-id"]);
    expect(new Set(received)).toEqual(new Set(events.map(({ id }) => id)));
  });

  it("between the target's answer and its note sends again, with the same id", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ delayMs: 200 }, {});
    const events = [webhook.event(), webhook.event()];
    await webhook.outlet().accept(events);
    void webhook.alarm().catch(() => undefined);
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(2));
    await kill(webhook.outlet);
    await untilSent(webhook);
    const received = (await webhook.receiver.received()).map(({ headers }) => headers["webhook-id"]);
    expect(new Set(received)).toEqual(new Set(events.map(({ id }) => id)));
    expect(received.length).toBeGreaterThan(2);
  });
});

describe("a webhook that is disabled while D1 fails", () => {
  it.each(faultKinds)("is disabled there in the end, with one event (%s)", async (kind) => {
    const faults = new Faults();
    const calls = await disableWith(faults, null, kind);
    expect(calls.length).toBeGreaterThan(1);
    for (const at of calls.keys()) await disableWith(faults, at, kind);
  });

  async function disableWith(faults: Faults, at: number | null, kind: (typeof faultKinds)[number]) {
    const webhook = await TestWebhook.create({ events: ["account.*"] });
    await webhook.receiver.answers({ status: 410 });
    await webhook.outlet().accept([webhook.event()]);
    faults.count(at, kind, [webhook.outlet]);
    await webhook.alarm().catch(() => undefined);
    await vi.waitFor(async () => {
      vi.setSystemTime(Date.now() + 60_000);
      await webhook.alarm();
      const { results } = await env.DB.prepare("SELECT state FROM webhooks WHERE id = ?")
        .bind(webhook.id)
        .all();
      expect(results).toEqual([{ state: "disabled" }]);
    });
    const calls = faults.stop();
    const told = await env.DB.prepare(
      "SELECT count(*) AS count FROM events WHERE account_id = ? AND type = 'webhook.disabled'",
    )
      .bind(webhook.account.id)
      .first("count");
    expect(told, `${kind} at ${at}`).toBe(1);
    return calls.filter((name) => name.startsWith("d1") || name.startsWith("feed"));
  }
});

/** Makes D1 fail for what changes it. @returns a function that ends this */
function refuseChanges(): () => void {
  const lost = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
  const stops = databasePrototypes().map((owner) => aroundCalls(owner, "batch", lost));
  return () => stops.forEach((stop) => stop());
}

describe("disabling a webhook while D1 fails", () => {
  it("has its event and its audit entry when the request is repeated two seconds later", async () => {
    const webhook = await TestWebhook.create();
    const accept = refuseChanges();
    expect((await webhook.request("", "PATCH", { enabled: false })).status).toBe(503);
    accept();
    vi.setSystemTime(Date.now() + 2_000);
    const dueAt = await webhook.alarmAt();
    if (dueAt !== null && dueAt <= Date.now()) await webhook.alarm();
    expect((await webhook.request("", "PATCH", { enabled: false })).status).toBe(200);
    const types = (await recordedEvents(webhook.account.id)).map(({ type }) => type);
    expect(types).toEqual(["webhook.created", "webhook.updated"]);
    const entries = (await recordedEntries(webhook.account.id)).filter(({ outcome }) => outcome === "done");
    expect(entries.map(({ action }) => action)).toEqual(["createWebhook", "updateWebhook"]);
  });

  it("disables it in D1 too if the request is not repeated, with its event and its audit entry", async () => {
    const webhook = await TestWebhook.create();
    const accept = refuseChanges();
    expect((await webhook.request("", "PATCH", { enabled: false, name: "ci" })).status).toBe(503);
    accept();
    for (let times = 0; times < 2; times += 1) {
      vi.setSystemTime((await webhook.alarmAt()) ?? 0);
      await webhook.alarm();
    }
    const { id, name, state } = await webhook.details();
    expect({ state, isRenamed: name === "ci" }).toEqual({ state: "disabled", isRenamed: false });
    expect((await recordedEvents(webhook.account.id)).slice(1)).toMatchObject([
      { type: "webhook.updated", data: { webhook: { id, name }, actor: { type: "token", name: "test" } } },
    ]);
    expect((await recordedEntries(webhook.account.id)).slice(1)).toEqual([
      {
        action: "updateWebhook",
        outcome: "done",
        code: null,
        target: { type: "webhook", id, name },
        changes: { enabled: { before: true, after: false } },
      },
    ]);
  });

  it("leaves nothing to record if the webhook is enabled again", async () => {
    const webhook = await TestWebhook.create();
    const accept = refuseChanges();
    expect((await webhook.request("", "PATCH", { enabled: false })).status).toBe(503);
    accept();
    expect((await webhook.request("", "PATCH", { enabled: true })).status).toBe(200);
    vi.setSystemTime((await webhook.alarmAt()) ?? 0);
    await webhook.alarm();
    expect(await webhook.details()).toMatchObject({ state: "active" });
    expect(await recordedEvents(webhook.account.id)).toHaveLength(1);
  });
});

describe("sending a webhook elsewhere while D1 fails", () => {
  it("shows the new address, with its event and audit entry, when the request is repeated", async () => {
    const webhook = await TestWebhook.create();
    const { url } = new Receiver();
    const accept = refuseChanges();
    expect((await webhook.request("", "PATCH", { url })).status).toBe(503);
    accept();
    const repeated = await webhook.request("", "PATCH", { url });
    expect(await repeated.json()).toMatchObject({ url });
    expect(await webhook.details()).toMatchObject({ url });
    const types = (await recordedEvents(webhook.account.id)).map(({ type }) => type);
    expect(types).toEqual(["webhook.created", "webhook.updated"]);
    const { changes } = (await recordedEntries(webhook.account.id)).at(-1) ?? {};
    expect(changes).toEqual({ url: { before: webhook.receiver.url, after: url } });
  });
});

describe("creating a webhook while a part fails", () => {
  it.each(["d1", "outlet"] as const)("leaves no webhook without an address (%s)", async (part) => {
    const { token } = await createAccount();
    const receiver = new Receiver();
    const faults = new Faults();
    const created: string[] = [];
    onCalls(env.OUTLET, "getByName", ([name]) => created.push(String(name)));
    const body = { kind: "standard", url: receiver.url };
    await call("/v1/account", { token });
    faults.disable(part);
    expect((await call("/v1/webhooks", { method: "POST", token, body })).status).toBeGreaterThanOrEqual(500);
    faults.enable(part);
    const { webhooks } = WebhookRows.parse(await (await call("/v1/webhooks", { token })).json());
    expect(webhooks).toEqual([]);
    // Its object asks D1 after an hour, and once more a day later.
    for (const name of new Set(created)) {
      const outlet = env.OUTLET.getByName(name);
      for (const hours of [1, 25, 49]) {
        vi.setSystemTime(Date.now() + hours * 3_600_000);
        await runDurableObjectAlarm(outlet);
      }
      expect(await outlet.details(null)).toBeNull();
    }
  });
});
