import { runInDurableObject } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { freezeTime } from "../../../support/worker/frozen-time.ts";
import { onCalls } from "../../../support/worker/intercept.ts";
import { TestWebhook } from "../../../support/worker/webhook.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

beforeEach(freezeTime);

/** An attempt ends after this time instead of 20 s. */
function shortenTimeout(ms: number): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(ms));
}

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe("a delivery", () => {
  it("has a signature that the library of Standard Webhooks accepts", async () => {
    const webhook = await TestWebhook.create();
    const [id] = await webhook.accepts();
    const [request] = await webhook.receiver.received();
    expect(request?.method).toBe("POST");
    expect(request?.headers).toMatchObject({ "webhook-id": id, "content-type": "application/json" });
    const verified = new Webhook(webhook.secret).verify(request?.body ?? "", request?.headers ?? {});
    expect(verified).toMatchObject({ type: "account.updated", data: { sequence: 1 } });
    expect(Object.keys(verified ?? {})).toEqual(["type", "timestamp", "data"]);
    const [delivery] = await webhook.deliveries();
    expect(delivery).toMatchObject({
      event_id: id,
      state: "delivered",
      attempt_count: 1,
      next_attempt_at: null,
    });
    expect(delivery?.attempts).toMatchObject([{ status: 200, problem: null }]);
  });

  it("is sent when its event is taken, and an alarm is set in case the object dies", async () => {
    const webhook = await TestWebhook.create();
    const start = Date.now();
    await webhook.outlet().accept([webhook.event()]);
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(1));
    expect(await webhook.alarmAt()).toBe(start + 30_000);
    await webhook.alarm();
    expect(await webhook.receiver.received()).toHaveLength(1);
  });

  it("does not set the alarm again for each of many events", async () => {
    const webhook = await TestWebhook.create();
    const storage = await runInDurableObject(webhook.outlet(), (_outlet, ctx): object =>
      Object.getPrototypeOf(ctx.storage),
    );
    let alarms = 0;
    onCalls(storage, "setAlarm", () => (alarms += 1));
    for (let count = 1; count <= 20; count += 1) {
      await webhook.outlet().accept([webhook.event()]);
      await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(count));
    }
    expect(alarms).toBe(1);
  });

  it("is sent once, however often the same event is taken", async () => {
    const webhook = await TestWebhook.create();
    const event = webhook.event();
    for (let times = 0; times < 3; times += 1) {
      await webhook.outlet().accept([event, event]);
      await webhook.alarm();
    }
    expect(await webhook.receiver.received()).toHaveLength(1);
  });

  it("is sent again at the times of the schedule, with the time of the attempt, until it succeeds", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 500, body: "down" }, { status: 503 }, { status: 202 });
    const start = Date.now();
    const [id] = await webhook.accepts();
    expect(await webhook.alarmAt()).toBe(start + 5000);
    pass(4000);
    await webhook.alarm();
    expect(await webhook.receiver.received()).toHaveLength(1);
    pass(1000);
    await webhook.alarm();
    expect(await webhook.alarmAt()).toBe(start + 5000 + 300_000);
    pass(300_000);
    await webhook.alarm();
    const requests = await webhook.receiver.received();
    expect(requests.map(({ headers }) => headers["webhook-id"])).toEqual([id, id, id]);
    const times = requests.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(times).toEqual([start, start + 5000, start + 305_000].map((time) => Math.floor(time / 1000)));
    const [delivery] = await webhook.deliveries();
    expect(delivery?.attempts).toMatchObject([
      { status: 500, answer: "down", problem: "The target answered with status 500." },
      { status: 503 },
      { status: 202, problem: null },
    ]);
    expect(delivery?.state).toBe("delivered");
  });

  it("is kept for 30 days, also by a webhook that sends little", async () => {
    const webhook = await TestWebhook.create();
    await webhook.accepts();
    pass(29 * DAY_MS);
    await webhook.alarm();
    expect(await webhook.outlet().deliveries(null, 10, null)).toHaveLength(1);
    pass(2 * DAY_MS);
    await webhook.alarm();
    expect(await webhook.outlet().deliveries(null, 10, null)).toEqual([]);
  });

  it("fails after ten attempts", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 400 });
    await webhook.accepts();
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      vi.setSystemTime((await webhook.alarmAt()) ?? 0);
      await webhook.alarm();
      // The object also asks D1 every day whether the webhook still exists.
      if ((await webhook.receiver.received()).length < attempt) attempt -= 1;
    }
    expect((await webhook.deliveries())[0]).toMatchObject({
      state: "failed",
      attempt_count: 10,
      next_attempt_at: null,
    });
    expect((await webhook.details()).state).toBe("failing");
  });

  it.each([
    ["redirects", { status: 302, headers: { location: "https://example.com/" } }, 302, "redirect"],
    [
      "redirects with the method",
      { status: 307, headers: { location: "https://example.com/" } },
      307,
      "redirect",
    ],
    ["closes the connection", { instead: "reset" }, null, "connect"],
    ["does not answer", { instead: "hang" }, null, "within 20 seconds"],
    ["answers drop by drop", { instead: "drip" }, null, "within 20 seconds"],
  ] as const)("has failed if the target %s", async (_name, answer, status, problem) => {
    if (problem === "within 20 seconds") shortenTimeout(400);
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers(answer);
    await webhook.accepts();
    const [delivery] = await webhook.deliveries();
    expect(delivery?.attempts).toMatchObject([{ status, problem: expect.stringContaining(problem) }]);
    expect(delivery?.state).toBe("pending");
  });

  it("has failed if nothing listens at the target's address", async () => {
    const webhook = await TestWebhook.create({ url: "http://127.0.0.1:9/" });
    await webhook.accepts();
    const [delivery] = await webhook.deliveries();
    expect(delivery?.attempts).toMatchObject([{ status: null, problem: expect.stringContaining("connect") }]);
  });

  it("keeps the first kilobyte of an answer, also of a long or compressed one", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ bytes: 10_000_000 }, { body: "zipped", gzip: true }, { status: 204 });
    await webhook.accepts();
    await webhook.accepts();
    await webhook.accepts();
    const answers = (await webhook.deliveries()).map(({ attempts }) => attempts[0]?.answer);
    expect(answers).toEqual(["", "zipped", "x".repeat(1024)]);
  });

  it("has the headers of the webhook, which no answer shows", async () => {
    const webhook = await TestWebhook.create({ headers: { authorization: "Bearer secret-4711" } });
    await webhook.receiver.answers({ body: "you sent Bearer secret-4711" });
    await webhook.accepts();
    expect((await webhook.receiver.received())[0]?.headers["authorization"]).toBe("Bearer secret-4711");
    expect((await webhook.deliveries())[0]?.attempts[0]?.answer).toBe("you sent ***");
    expect((await webhook.details()).settings.headers).toEqual(["authorization"]);
  });
});

describe("a target", () => {
  it("that hangs for one event gets the others meanwhile", async () => {
    shortenTimeout(8_000);
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ instead: "hang" }, {});
    await webhook.outlet().accept([webhook.event()]);
    const alarm = webhook.alarm();
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(1));
    await webhook.outlet().accept([webhook.event(), webhook.event()]);
    const states = async () => (await webhook.deliveries()).map(({ state }) => state);
    const others = ["delivered", "delivered", "sending"];
    await vi.waitFor(async () => expect(await states()).toEqual(others));
    await alarm;
  });

  it("that hangs for one event gets another one again at its time", async () => {
    shortenTimeout(8_000);
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ instead: "hang" }, { status: 500 }, {});
    const start = Date.now();
    await webhook.outlet().accept([webhook.event()]);
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(1));
    await webhook.outlet().accept([webhook.event()]);
    // The time of `waitFor` passes too.
    await vi.waitFor(async () => expect(await webhook.alarmAt()).toBeLessThan(start + 10_000));
    pass(5000);
    const alarm = webhook.alarm();
    await vi.waitFor(async () =>
      expect((await webhook.deliveries()).map(({ state }) => state)).toEqual(["delivered", "sending"]),
    );
    await alarm;
  });

  it("gets at most 6 requests at once", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ delayMs: 5 });
    await webhook.accepts(50);
    // The alarm makes 40 requests a call, and then sets itself again.
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(50));
    const requests = await webhook.receiver.received();
    expect(Math.max(...requests.map(({ underWay }) => underWay))).toBe(6);
  });

  it("that asks for a pause gets nothing before its end", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 429, headers: { "retry-after": "3600" } }, {});
    const start = Date.now();
    await webhook.accepts();
    await webhook.accepts();
    expect(await webhook.receiver.received()).toHaveLength(1);
    expect(await webhook.alarmAt()).toBe(start + 3_600_000);
    pass(3_600_000);
    await webhook.alarm();
    expect(await webhook.receiver.received()).toHaveLength(3);
  });

  it("that is gone is disabled at once, and what waits for it is held", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 500 }, { status: 410 });
    await webhook.accepts();
    await webhook.accepts();
    const details = await webhook.details();
    expect(details).toMatchObject({ state: "disabled", held: 2, pending: 0 });
    expect(details.disabled_reason).toContain("410");
    await webhook.accepts();
    expect(await webhook.receiver.received()).toHaveLength(2);
    expect((await webhook.details()).held).toBe(3);
  });

  it("is disabled after 5 days of nothing but failures", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 500 });
    await webhook.accepts();
    pass(5 * DAY_MS - 1000);
    const isDisabled = async () => (await webhook.details()).state === "disabled";
    expect(await isDisabled()).toBe(false);
    for (let times = 0; times < 5 && !(await isDisabled()); times += 1) {
      vi.setSystemTime(Math.max((await webhook.alarmAt()) ?? 0, Date.now()));
      await webhook.accepts();
    }
    expect(await webhook.details()).toMatchObject({
      state: "disabled",
      disabled_reason: "Every attempt of the last 5 days has failed.",
    });
    const { created_at } = await webhook.details();
    expect(Date.now() - Date.parse(created_at)).toBeGreaterThanOrEqual(5 * DAY_MS);
  });
});
