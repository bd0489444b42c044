import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";

import { Events } from "#contract/endpoints/events/endpoints.ts";
import { Event } from "#contract/endpoints/events/schemas.ts";
import {
  Delivery,
  DeliveryRows,
  Resent,
  WebhookRows,
  WebhookTest,
  WebhookWithSecret,
} from "#contract/endpoints/webhooks/schemas.ts";
import { createAccount, createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { publish, renamed, sealed } from "../../support/worker/events.ts";
import { recordedEntries } from "../../support/worker/recorded.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

async function create(token: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await call("/v1/webhooks", { method: "POST", token, body, headers });
}

/** The types of the account's events, oldest first. */
async function eventTypes(token: string): Promise<string[]> {
  const response = await call("/v1/events", { token });
  return Events.parse(await response.json())
    .events.map(({ type }) => type)
    .toReversed();
}

describe("creating a webhook", () => {
  it("shows its secret once, and its address masked", async () => {
    const { token } = await createAccount();
    const url = "https://hooks.example.com/gantry?key=4711";
    const response = await create(token, { kind: "standard", url });
    expect(response.status).toBe(201);
    const webhook = WebhookWithSecret.parse(await response.json());
    expect(response.headers.get("location")).toBe(`/v1/webhooks/${webhook.id}`);
    expect(webhook.secret).toMatch(SECRET);
    expect(webhook).toMatchObject({
      name: "hooks.example.com/gantry",
      url: "https://hooks.example.com/gantry?key=***",
      events: ["*"],
      state: "active",
    });
    const { webhooks } = WebhookRows.parse(await (await call("/v1/webhooks", { token })).json());
    expect(webhooks.map((shown) => ({ ...shown, secret: webhook.secret }))).toEqual([webhook]);
    expect(await eventTypes(token)).toEqual(["webhook.created"]);
  });

  it("makes one webhook with one secret, however often the request is repeated", async () => {
    const { token } = await createAccount();
    const headers = { "idempotency-key": "create-1" };
    const body = { kind: "standard", url: "https://hooks.example.com/" };
    const [first, second] = [await create(token, body, headers), await create(token, body, headers)];
    const webhook = WebhookWithSecret.parse(await first.json());
    expect(await second.json()).toEqual(webhook);
    // As if the first request had died before its response was stored.
    await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
    expect(await (await create(token, body, headers)).json()).toEqual(webhook);
    expect(await eventTypes(token)).toEqual(["webhook.created"]);
  });

  it.each([
    ["its kind is missing", { url: "https://example.com/" }, "/kind"],
    ["a setting of another kind", { kind: "slack", url: "https://example.com/", topic: "x" }, "/topic"],
    ["this installation's address", { kind: "standard", url: "https://gantry.test/v1/hooks" }, "/url"],
    ["not an address", { kind: "standard", url: "https://%" }, "/url"],
    ["a user name and password", { kind: "standard", url: "https://me:password@example.com/" }, "/url"],
    [
      "two hosts, of which each program reads one",
      { kind: "commit_status", forge: "gitea", token: "t", api_url: "https://evil.example\\@example.com" },
      "/api_url",
    ],
    ["another protocol", { kind: "standard", url: "ftp://example.com/" }, "/url"],
    [
      "an unknown type of event",
      { kind: "standard", url: "https://example.com/", events: ["nothing"] },
      "/events/0",
    ],
    [
      "a header of the delivery",
      { kind: "standard", url: "https://example.com/", headers: { "Webhook-Id": "x" } },
      "/headers/Webhook-Id",
    ],
  ])("is refused for %s", async (_name, body, pointer) => {
    const { token } = await createAccount();
    const response = await create(token, body);
    expect(response.status).toBe(422);
    const { errors } = await problemOf(response);
    expect(errors?.map((error) => error.pointer)).toContain(pointer);
  });

  it("is refused for the 101st", async () => {
    const { account } = await copyWorld();
    await env.DB.prepare(
      `INSERT INTO webhooks SELECT 'whk_' || value, account_id, kind, name, shown_url, events, project_ids, state, disabled_reason, failing_since, created_at
       FROM webhooks, json_each('[${Array.from({ length: 99 }, (_, at) => at).join()}]')`,
    ).run();
    const response = await create(account.token, { kind: "standard", url: "https://example.com/" });
    expect([response.status, (await problemOf(response)).code]).toEqual([409, "too_many"]);
  });

  it("is limited to the projects of its token", async () => {
    const { account, projectId } = await copyWorld();
    const { secret: token } = await createToken(account.id, { projectIds: [projectId] });
    const body = { kind: "standard", url: "https://example.com/" };
    expect((await create(token, body)).status).toBe(403);
    expect((await create(token, { ...body, project_ids: [projectId] })).status).toBe(201);
    const { webhooks } = WebhookRows.parse(await (await call("/v1/webhooks", { token })).json());
    expect(webhooks.map(({ project_ids }) => project_ids)).toEqual([[projectId]]);
    const [own] = webhooks;
    const widened = await call(`/v1/webhooks/${own?.id}`, {
      method: "PATCH",
      token,
      body: { project_ids: null },
    });
    expect(widened.status).toBe(403);
  });
});

describe("the events of an account", () => {
  it("go to the webhooks that want them", async () => {
    const { account, projectId } = await copyWorld();
    const [all, ofTokens, ofProject] = [
      await TestWebhook.create({ events: ["*"] }, account),
      await TestWebhook.create({ events: ["token.*"] }, account),
      await TestWebhook.create({ project_ids: [projectId], events: ["*"] }, account),
    ];
    const { token } = account;
    await publish(account.id, [renamed({ projectId }, "first")]);
    await call("/v1/webhooks", {
      method: "POST",
      token,
      body: { kind: "standard", url: "https://hooks.test/" },
    });
    const types = async ({ receiver }: TestWebhook) =>
      (await receiver.received())
        .map(({ body }) => z.object({ type: z.string() }).parse(JSON.parse(body)).type)
        .toSorted();
    const own = ["webhook.created", "webhook.created", "webhook.created"];
    await vi.waitFor(async () =>
      expect(await types(all)).toEqual(["project.updated", ...own, "webhook.created"]),
    );
    await vi.waitFor(async () => expect(await types(ofProject)).toEqual(["project.updated"]));
    expect(await types(ofTokens)).toEqual([]);
    const [request] = await ofProject.receiver.received();
    expect(new Webhook(ofProject.secret).verify(request?.body ?? "", request?.headers ?? {})).toMatchObject({
      type: "project.updated",
      data: { project: { name: "first" } },
    });
  });

  it("tell the others when a webhook is disabled", async () => {
    const broken = await TestWebhook.create({ events: ["account.*"] });
    const other = await TestWebhook.create({ events: ["webhook.disabled"] }, broken.account);
    await broken.receiver.answers({ status: 410 });
    await broken.accepts();
    await vi.waitFor(async () => expect(await other.receiver.received()).toHaveLength(1));
    const [request] = await other.receiver.received();
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      type: "webhook.disabled",
      data: { webhook: { id: broken.id }, actor: { type: "system" }, reason: expect.stringContaining("410") },
    });
  });
});

describe("a webhook", () => {
  it("can be tested: one attempt now, whose answer is shown", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 418, body: "teapot" });
    const response = await webhook.request("/test", "POST", {});
    const test = WebhookTest.parse(await response.json());
    expect(test).toMatchObject({ delivered: false, attempt: { status: 418, answer: "teapot" } });
    const [request] = await webhook.receiver.received();
    expect(new Webhook(webhook.secret).verify(request?.body ?? "", request?.headers ?? {})).toMatchObject({
      type: "webhook.test",
      data: { webhook: { id: webhook.id } },
    });
    const [delivery] = await webhook.deliveries();
    expect(delivery).toMatchObject({ event_id: test.event_id, state: "failed", next_attempt_at: null });
    expect(await eventTypes(webhook.account.token)).toEqual(["webhook.created"]);
  });

  it("signs with the new and the old secret for a day after a rotation", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const webhook = await TestWebhook.create();
    const rotated = WebhookWithSecret.parse(await (await webhook.request("/rotate", "POST", {})).json());
    expect(rotated.secret).toMatch(SECRET);
    expect(rotated.secret).not.toBe(webhook.secret);
    const accepts = async (secret: string | null) => {
      await webhook.accepts();
      const request = (await webhook.receiver.received()).at(-1);
      const { body = "", headers = {} } = request ?? {};
      const check = () => new Webhook(secret ?? "").verify(body, headers);
      return attempt(check);
    };
    expect([await accepts(webhook.secret), await accepts(rotated.secret)]).toEqual([true, true]);
    expect((await webhook.details()).previous_secret_expires_at).not.toBeNull();
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect([await accepts(webhook.secret), await accepts(rotated.secret)]).toEqual([false, true]);
    vi.useRealTimers();
  });

  it("of another kind has no secret to rotate", async () => {
    const { token } = await createAccount();
    const response = await create(token, { kind: "slack", url: "https://hooks.example.com/T0/B0/abcdef" });
    const webhook = WebhookWithSecret.parse(await response.json());
    expect(webhook).toMatchObject({ secret: null, url: "https://hooks.example.com/…cdef" });
    const rotation = await call(`/v1/webhooks/${webhook.id}/rotate`, { method: "POST", token, body: {} });
    expect(rotation.status).toBe(422);
  });

  it("can be renamed and sent elsewhere, with an event", async () => {
    const webhook = await TestWebhook.create();
    const other = await TestWebhook.create();
    const changes = {
      name: "CI",
      events: ["deployment.*"],
      url: other.receiver.url,
      headers: { "x-a": "b" },
    };
    const response = await webhook.request("", "PATCH", changes);
    expect(await response.json()).toMatchObject({
      name: "CI",
      events: ["deployment.*"],
      url: other.receiver.url,
    });
    await webhook.accepts();
    expect(await webhook.receiver.received()).toEqual([]);
    expect(await other.receiver.received()).toMatchObject([{ headers: { "x-a": "b" } }]);
    expect(await eventTypes(webhook.account.token)).toEqual(["webhook.created", "webhook.updated"]);
    expect((await webhook.request("", "PATCH", { name: "CI" })).status).toBe(200);
    expect(await eventTypes(webhook.account.token)).toHaveLength(2);
  });

  it("keeps its secrets from a host that an address hides", async () => {
    const webhook = await TestWebhook.create({ headers: { authorization: "Bearer 4711" } });
    const { protocol, host } = new URL(webhook.receiver.url);
    const other = `${protocol}//evil.example:8443`;
    for (const url of [`${other}\\@${host}/`, `${other}#@${host}/`, `${other}/`]) {
      const problem = await problemOf(await webhook.request("", "PATCH", { url }));
      expect(problem).toMatchObject({ status: 422, errors: [{ pointer: "/url" }] });
    }
    expect(await webhook.details()).toMatchObject({ url: webhook.receiver.url });
    await webhook.accepts();
    const received = await webhook.receiver.received();
    expect(received).toMatchObject([{ headers: { authorization: "Bearer 4711" } }]);
  });

  it("tells of a new address also if the part that is shown is the same", async () => {
    const webhook = await TestWebhook.create();
    const { url } = webhook.receiver;
    for (const key of ["one-secret", "another-secret"])
      expect((await webhook.request("", "PATCH", { url: `${url}?key=${key}` })).status).toBe(200);
    expect(await eventTypes(webhook.account.token)).toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.updated",
    ]);
    const { changes } = (await recordedEntries(webhook.account.id)).at(-1) ?? {};
    expect(changes).toEqual({ url: { before: null, after: "changed" } });
  });

  it("refuses a setting that its kind does not have", async () => {
    const webhook = await TestWebhook.create();
    const response = await webhook.request("", "PATCH", { topic: "alerts" });
    expect((await problemOf(response)).errors).toMatchObject([{ pointer: "/topic" }]);
  });

  it("that is disabled holds what waits; enabled again, it sends what is resent", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 500 }, {});
    const [id] = await webhook.accepts();
    expect(await (await webhook.request("", "PATCH", { enabled: false })).json()).toMatchObject({
      state: "disabled",
    });
    expect(await webhook.details()).toMatchObject({ state: "disabled", held: 1, pending: 0 });
    const refused = await webhook.request(`/deliveries/${id}/resend`, "POST", {});
    expect([refused.status, (await problemOf(refused)).code]).toEqual([409, "webhook_disabled"]);
    expect((await webhook.request("/resend", "POST", {})).status).toBe(409);
    expect(await (await webhook.request("", "PATCH", { enabled: true })).json()).toMatchObject({
      state: "active",
    });
    await webhook.accepts();
    expect((await webhook.details()).held).toBe(1);
    const resent = await webhook.request("/resend", "POST", {});
    expect(Resent.parse(await resent.json())).toEqual({ resent: 1 });
    await webhook.alarm();
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(3));
    expect(await eventTypes(webhook.account.token)).toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.updated",
    ]);
  });

  it("that is disabled holds what comes meanwhile; enabled again, it sends that if it is resent", async () => {
    const webhook = await TestWebhook.create({ events: ["audit.sealed"] });
    await webhook.request("", "PATCH", { enabled: false });
    await publish(webhook.account.id, [sealed()]);
    expect(await webhook.details()).toMatchObject({ state: "disabled", held: 1 });
    await webhook.request("", "PATCH", { enabled: true });
    expect(await webhook.receiver.received()).toEqual([]);
    expect(Resent.parse(await (await webhook.request("/resend", "POST", {})).json())).toEqual({ resent: 1 });
    await webhook.alarm();
    expect(await webhook.receiver.received()).toHaveLength(1);
  });

  it("sends one delivery again, or all since a moment", async () => {
    const webhook = await TestWebhook.create();
    const [first] = await webhook.accepts(3);
    const again = await webhook.request(`/deliveries/${first}/resend`, "POST", {});
    expect(Delivery.parse(await again.json())).toMatchObject({ event_id: first, attempt_count: 1 });
    await webhook.alarm();
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(4));
    const resend = async (body: unknown) =>
      Resent.parse(await (await webhook.request("/resend", "POST", body)).json()).resent;
    expect(await resend({})).toBe(0);
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await resend({ since, delivered: true })).toBe(3);
    expect(await resend({ since: new Date(Date.now() + 60_000).toISOString(), delivered: true })).toBe(0);
    await webhook.alarm();
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(7));
    const unknown = await webhook.request(`/deliveries/${webhook.event().id}/resend`, "POST", {});
    expect((await problemOf(unknown)).detail).toContain("delivery");
  });

  it("lists its deliveries in pages", async () => {
    const webhook = await TestWebhook.create();
    const taken = await webhook.accepts(5);
    const Page = z.object({ deliveries: z.array(Delivery), next_cursor: z.nullable(z.string()) });
    const first = await webhook.read(Page, "/deliveries?limit=3");
    const second = await webhook.read(Page, `/deliveries?limit=3&cursor=${first.next_cursor}`);
    const shown = [...first.deliveries, ...second.deliveries].map(({ event_id }) => event_id);
    expect(shown).toEqual(taken.toReversed());
    expect(second.next_cursor).toBeNull();
  });

  it("that is deleted no longer sends anything, and its object is empty", async () => {
    const webhook = await TestWebhook.create();
    await webhook.receiver.answers({ status: 500 });
    await webhook.accepts();
    expect((await webhook.request("", "DELETE")).status).toBe(204);
    expect((await webhook.request("")).status).toBe(404);
    expect(await webhook.alarmAt()).toBeNull();
    expect(await webhook.outlet().details(null)).toBeNull();
    expect(await eventTypes(webhook.account.token)).toEqual(["webhook.created", "webhook.deleted"]);
  });
});

describe("a webhook that is narrowed to fewer projects", () => {
  /** A webhook of all projects, and what reads it with a token that is limited to one of them. */
  async function narrowable() {
    const { account, projectId: mine } = await copyWorld();
    const webhook = await TestWebhook.create({ events: ["project.*"] }, account);
    const { secret } = await createToken(account.id, { projectIds: [mine] });
    const victim = ids.project();
    const [ofMine, ofVictim] = [
      renamed({ projectId: mine }, "mine"),
      renamed({ projectId: victim }, "victim"),
    ];
    const limited = async (path: string, method = "GET", body?: unknown) =>
      await call(`/v1/webhooks/${webhook.id}${path}`, { method, token: secret, body });
    const listed = async () => {
      const { deliveries } = DeliveryRows.parse(await (await limited("/deliveries")).json());
      return deliveries.map(({ event_id }) => event_id);
    };
    const narrow = async () =>
      expect((await webhook.request("", "PATCH", { project_ids: [mine] })).status).toBe(200);
    return { account, webhook, victim, ofMine, ofVictim, mine, limited, listed, narrow };
  }

  it("shows and resends only what is about these, to anybody", async () => {
    const { account, webhook, victim, ofMine, ofVictim, mine, limited, listed, narrow } = await narrowable();
    const other = await TestWebhook.create();
    await webhook.receiver.answers({ body: "answer to victim" }, { body: "answer to mine" });
    await publish(account.id, [ofVictim]);
    await webhook.alarm();
    await publish(account.id, [ofMine]);
    await webhook.alarm();
    await webhook.request("/test", "POST", {});
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(3));
    expect((await limited("")).status).toBe(404);
    await narrow();
    expect((await limited("", "PATCH", { url: other.receiver.url })).status).toBe(200);
    expect(await listed()).toEqual([ofMine.id]);
    expect(await (await limited("")).json()).toMatchObject({ last_attempt: { answer: "answer to mine" } });
    const resend = async (since: object) =>
      Resent.parse(await (await limited("/resend", "POST", since)).json());
    expect(await resend({ delivered: true })).toEqual({ resent: 1 });
    for (const request of [limited, webhook.request.bind(webhook)])
      expect((await request(`/deliveries/${ofVictim.id}/resend`, "POST", {})).status).toBe(404);
    await webhook.alarm();
    const received = JSON.stringify(await other.receiver.received());
    expect(received).toContain(mine);
    expect(received).not.toContain(victim);
    await webhook.request("", "PATCH", { project_ids: null });
    expect((await webhook.deliveries()).map(({ event_id }) => event_id)).toContain(ofVictim.id);
    expect((await limited("/deliveries")).status).toBe(404);
  });

  it("sends what waits about others neither to the new address nor later, unless somebody asks", async () => {
    const { account, webhook, victim, ofMine, ofVictim, limited, listed, narrow } = await narrowable();
    await webhook.receiver.answers({ status: 500 }, { status: 500 }, {});
    await publish(account.id, [ofVictim, ofMine]);
    await vi.waitFor(async () => expect(await webhook.receiver.received()).toHaveLength(2));
    expect(await webhook.details()).toMatchObject({ pending: 2 });
    const other = await TestWebhook.create();
    await narrow();
    expect((await limited("", "PATCH", { url: other.receiver.url })).status).toBe(200);
    // As if the feed had read the webhook's projects before they changed.
    const late = { ...ofVictim, id: ids.event() };
    const event = Event.parse({
      ...{ id: late.id, type: late.type, timestamp: new Date().toISOString() },
      data: { ...late.data, sequence: 100, actor: late.actor },
    });
    await webhook.outlet().accept([event]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6_000 });
    await webhook.alarm();
    await vi.waitFor(async () => expect(await other.receiver.received()).toHaveLength(1));
    vi.useRealTimers();
    expect(JSON.stringify(await other.receiver.received())).not.toContain(victim);
    expect(await listed()).toEqual([ofMine.id]);
    expect(await webhook.details()).toMatchObject({ pending: 0, held: 0 });
    await webhook.request("", "PATCH", { project_ids: null });
    expect(await webhook.details()).toMatchObject({ pending: 0, held: 2 });
  });

  it("keeps its address if somebody gives it more projects while a limited token changes it", async () => {
    const { webhook, mine, limited, narrow } = await narrowable();
    await narrow();
    // As if D1 got the projects after the token has read the webhook.
    await webhook.outlet().change({ settings: {}, projectIds: null }, null);
    const other = await TestWebhook.create();
    for (const [path, method, body] of [
      ["", "PATCH", { url: other.receiver.url }],
      ["", "PATCH", { enabled: false }],
      ["/rotate", "POST", {}],
      ["/test", "POST", {}],
    ] as const)
      expect((await limited(path, method, body)).status).toBe(404);
    // The request that gave it more did not reach D1: a minute later the object has the projects of D1 again.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    await webhook.alarm();
    vi.useRealTimers();
    expect((await limited("", "PATCH", { url: other.receiver.url })).status).toBe(200);
    expect(await (await limited("")).json()).toMatchObject({ project_ids: [mine] });
  });
});

function attempt(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
