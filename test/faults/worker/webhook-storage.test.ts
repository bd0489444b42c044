import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { Outlet } from "#worker/objects/outlet/outlet.ts";
import { createAccount, type TestAccount } from "../../support/worker/account.ts";
import { Faults, kindsOfPoints, setUpForFaults } from "../../support/worker/faults.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { partMethods } from "../../support/worker/parts.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";

setUpForFaults();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** A webhook with a delivery that waits for its second attempt. */
async function waitingWebhook(account?: TestAccount): Promise<TestWebhook> {
  const webhook = await TestWebhook.create({}, account);
  await webhook.receiver.answers({ status: 500 }, {});
  await webhook.accepts();
  return webhook;
}

async function isInDatabase({ id }: TestWebhook): Promise<boolean> {
  return (await env.DB.prepare("SELECT 1 FROM webhooks WHERE id = ?").bind(id).first()) !== null;
}

/** Whether the webhook's object stores nothing: no address, no secret, no delivery. */
async function isEmpty({ outlet }: TestWebhook): Promise<boolean> {
  return await runInDurableObject(outlet(), async (_outlet, { storage }) => {
    const tables = storage.sql.exec(
      "SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
    );
    const values = [...storage.kv.list()].length + tables.toArray().length;
    return values === 0 && (await storage.getAlarm()) === null;
  });
}

const requestsOf = async ({ receiver }: TestWebhook) => (await receiver.received()).length;

describe("deleting a webhook whose delivery waits", () => {
  it("removes all of it or nothing if any call fails", async () => {
    const faults = new Faults();
    const kindAt = kindsOfPoints();
    const account = await createAccount();
    for (let at = -1; ; at += 1) {
      const webhook = await waitingWebhook(account);
      const kind = kindAt(at);
      faults.count(at, kind, [webhook.outlet]);
      const { status } = await webhook.request("", "DELETE");
      const calls = faults.stop();
      const where = `${kind} at ${at}, ${calls[at]}`;
      for (let minutes = 0; minutes < 3; minutes += 1) {
        pass(MINUTE_MS + 1);
        await webhook.alarm();
      }
      const isThere = await isInDatabase(webhook);
      if (status === 204) expect(isThere, where).toBe(false);
      expect(await isEmpty(webhook), where).toBe(!isThere);
      expect(await requestsOf(webhook), where).toBe(isThere ? 2 : 1);
      if (calls.length <= at) break;
    }
  });

  it("ends its deliveries and secrets also if its object reads D1 at that moment", async () => {
    const webhook = await waitingWebhook();
    pass(2 * HOUR_MS);
    await webhook.receiver.answers({ status: 500 });
    const order: string[] = [];
    const until = async (step: string) => {
      while (!order.includes(step)) await scheduler.wait(1);
    };
    for (const { part, owner, method } of partMethods().filter((one) => one.part === "d1"))
      aroundCalls(owner, method, async (call) => {
        const answer = await call();
        if (part !== "d1" || order.length > 0) return answer;
        order.push("read");
        await until("retired");
        return answer;
      });
    aroundCalls(Outlet.prototype, "retire", async (call) => {
      await call();
      order.push("retired");
      await until("compared");
    });
    const alarm = webhook.alarm().then(() => order.push("compared"));
    await until("read");
    expect((await webhook.request("", "DELETE")).status).toBe(204);
    await alarm;
    const before = await requestsOf(webhook);
    expect(await isEmpty(webhook)).toBe(true);
    pass(HOUR_MS);
    await webhook.alarm();
    expect(await requestsOf(webhook)).toBe(before);
  });
});

describe("a webhook that a restored database does not have", () => {
  it("does not ask D1 again and again about a state that it cannot write", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 410 });
    pass(2 * HOUR_MS);
    await webhook.alarm();
    await env.DB.prepare("DELETE FROM webhooks WHERE id = ?").bind(webhook.id).run();
    await webhook.accepts();
    await webhook.alarm();
    expect((await webhook.alarmAt()) ?? 0).toBeGreaterThanOrEqual(Date.now() + HOUR_MS);
  });
});

describe("a webhook whose object cannot write", () => {
  it("sends a delivery that it cannot record less and less often, and records it later", async () => {
    const webhook = await TestWebhook.create();
    const exec = async (query: string) =>
      await runInDurableObject(webhook.outlet(), (_outlet, { storage }) => void storage.sql.exec(query));
    await exec("CREATE TRIGGER full BEFORE UPDATE ON deliveries BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    await webhook.accepts();
    for (let alarms = 0; alarms < 3; alarms += 1) await webhook.alarm();
    expect(await requestsOf(webhook)).toBeLessThanOrEqual(5);
    expect((await webhook.alarmAt()) ?? 0).toBeGreaterThanOrEqual(Date.now() + 2_000);
    await exec("DROP TRIGGER full");
    await webhook.alarm();
    expect(await webhook.outlet().details(null)).toMatchObject({ pending: 0 });
    expect(await webhook.deliveries()).toMatchObject([{ state: "delivered" }]);
  });
});
