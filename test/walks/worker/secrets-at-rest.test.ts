import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod/mini";

import { WebAddress } from "#contract/addresses/web-address.ts";
import { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";

import { output } from "../../support/connected-agent/events.ts";
import { failCalls } from "../../support/worker/intercept.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import { TestWebhook } from "../../support/worker/webhook.ts";
import { createAccount } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { runScheduleIn } from "../../support/worker/schedule.ts";
import { secretAddress } from "../../support/secret-addresses.ts";
import { openSecrets } from "../../support/seal-keys.ts";

/** Values that no other text contains, in the forms in which one could be stored. */
const values = {
  plain: "plain-value-4711",
  secret: "correct-horse-4711",
  replaced: "battery-staple-4711",
  refused: "refused-value-4711",
  password: "repo-password-4711",
  newPassword: "repo-changed-4711",
};

const webhookValues = {
  header: "header-value-4711",
  query: "target-query-4711",
};

function formsOf(value: string): string[] {
  const hex = Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, "0"));
  return [value, encodeURIComponent(value), btoa(value).replaceAll("=", ""), hex.join("")];
}

const Names = z.array(z.object({ name: z.string() }));

async function databaseText(): Promise<string> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all();
  const rows = Names.parse(tables.results).map(async ({ name }) => {
    const { results } = await env.DB.prepare(`SELECT * FROM "${name}"`).all();
    return JSON.stringify([name, results]);
  });
  return (await Promise.all(rows)).join("\n");
}

async function objectText(stub: DurableObjectStub): Promise<string> {
  return await runInDurableObject(stub, async (_object, { storage }) => {
    const tables = Names.parse(
      storage.sql
        .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%cf%'")
        .toArray(),
    );
    const rows = tables.map(({ name }) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray());
    return JSON.stringify([tables, rows, [...(await storage.list())]]);
  });
}

async function logsText(): Promise<string> {
  const { objects } = await env.LOGS.list();
  const texts = objects.map(async ({ key }) => `${key}: ${(await (await env.LOGS.get(key))?.text()) ?? ""}`);
  return (await Promise.all(texts)).join("\n");
}

/** Collects what the Worker and its objects print. */
function recordOutput(): () => string {
  const lines: string[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map((part) => (part instanceof Error ? part.stack : String(part))).join(" "));
    });
  onTestFinished(() => void vi.restoreAllMocks());
  return () => lines.join("\n");
}

describe("everything that the control plane stores and prints", () => {
  it("contains the address, the headers and the secret of a webhook only in the webhook's own object", async () => {
    const printed = recordOutput();
    const account = await createAccount();
    const headers = { authorization: `Bearer ${webhookValues.header}` };
    const webhook = await TestWebhook.create({ headers }, account);
    const { url } = webhook.receiver;
    const address = `${url}?key=${webhookValues.query}`;
    const keyed = { "idempotency-key": "create-webhook" };
    const body = { kind: "standard", url: address, events: ["*"] };
    const { token } = account;
    const created = await call("/v1/webhooks", { method: "POST", token, body, headers: keyed });
    expect(created.status).toBe(201);
    const rotated = WebhookWithSecret.parse(await (await webhook.request("/rotate", "POST", {})).json());
    await webhook.receiver.answers({ status: 410, body: JSON.stringify(headers) });
    expect((await webhook.request("", "PATCH", { url: address, headers })).status).toBe(200);
    await webhook.accepts();
    const shown = [
      await (await webhook.request()).text(),
      await (await webhook.request("/deliveries")).text(),
    ];
    const listed = ["/v1/webhooks", "/v1/events"].map(
      async (path) => await (await call(path, { token })).text(),
    );
    const stored = [
      await databaseText(),
      await logsText(),
      ...shown,
      ...(await Promise.all(listed)),
      printed(),
    ];
    expect(stored[0]).toContain(webhook.id);
    const signing = [webhook.secret, rotated.secret ?? ""].map((secret) => secret.slice("whsec_".length));
    for (const value of [...Object.values(webhookValues), ...signing])
      for (const form of formsOf(value)) expect(stored.filter((text) => text.includes(form))).toEqual([]);
    expect(await objectText(env.OUTLET.getByName(webhook.id))).toContain(rotated.secret);
  });

  it("contains plain variables, and no value of a secret and no repository password", async () => {
    const printed = recordOutput();
    const { project, keys } = await TestProject.withKeys();
    const { token, agent } = project;
    const secret = (value: string) => ({ name: "PASSWORD", value, secret: true });
    await project.set({ name: "URL", value: values.plain }, secret(values.replaced));
    await project.set(secret(values.secret));

    const headers = { "idempotency-key": "create-blog" };
    const repository = `https://me:${values.password}@git.test/my%20blog.git`;
    const blog = { name: "blog", server_id: agent.serverId, repository };
    for (let tries = 0; tries < 2; tries += 1)
      expect((await project.post("/v1/projects", blog, headers)).status).toBe(201);
    const moved = `https://me:${values.newPassword}@git.test/shop.git`;
    expect((await project.patch({ repository: moved })).status).toBe(200);

    const refused = [
      { set: [secret(values.refused)], revision: 99 },
      { set: [{ ...secret(values.refused), name: "GANTRY_X" }] },
      { set: [{ ...secret(values.refused), [values.refused]: true }] },
      { set: [secret(`${values.refused}\0`)], remove: values.refused },
    ];
    for (const body of refused)
      expect((await project.call("PATCH", project.variablesPath, body)).status).toBeGreaterThan(400);
    const broken = failCalls(Object.getPrototypeOf(env.DB.withSession()), "batch", { times: 1 });
    const failed = await project.call("PATCH", project.variablesPath, { set: [secret(values.refused)] });
    expect([failed.status >= 500, broken.count()]).toEqual([true, 1]);

    // One deployment with a log, one whose order is sent twice, and one in the queue.
    const { id } = await project.start();
    const order = await agent.orderOf(id);
    expect(await openSecrets(order, keys)).toEqual({
      GANTRY_REPOSITORY_TOKEN: values.newPassword,
      PASSWORD: values.secret,
    });
    await agent.reports(order, { type: "stage", stage: "build" }, output("compiled"));
    await agent.completes(order);
    await project.reaches(id, "live");
    const next = await project.start();
    await agent.orderOf(next.id);
    await project.start();
    agent.cut();
    await connectWithKeys(agent, token, keys);
    await agent.orderOf(next.id);

    await runScheduleIn(1);

    const stored = [
      await databaseText(),
      await logsText(),
      await objectText(env.PROJECT_LANE.getByName(project.id)),
      await objectText(env.AGENT_LINK.getByName(agent.serverId)),
      printed(),
    ];
    for (const text of stored.slice(0, 4)) expect(text).not.toBe("");
    expect(stored[0]).toContain(values.plain);
    expect(stored[1]).toContain("compiled");
    expect(stored[2]).toContain(next.id);
    expect(stored[3]).toContain(keys.sealKey.fingerprint);
    const { plain: _plain, ...secrets } = values;
    for (const value of Object.values(secrets))
      for (const form of formsOf(value)) expect(stored.filter((text) => text.includes(form))).toEqual([]);
  });

  it("contains no part of the secrets in addresses that people paste, and no answer repeats one", async () => {
    const printed = recordOutput();
    const { project } = await TestProject.withKeys();
    const answers: string[] = [];
    const counts = new Map<number, number>();
    const send = async (method: "POST" | "PATCH", path: string, body: unknown) => {
      const headers = { "idempotency-key": `try-${answers.length}` };
      const isPost = method === "POST";
      const answer = isPost
        ? await project.post(path, body, headers)
        : await project.call(method, path, body);
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      answers.push(await answer.text());
    };
    // The last ones are stored, or are refused only for another reason.
    const pasted = fc.sample(secretAddress, { numRuns: 30, seed: 14 });
    for (const [at, { text }] of pasted.entries()) {
      const { serverId } = project.agent;
      await send("POST", "/v1/projects", { name: `site-${at}`, server_id: serverId, repository: text });
      await send("PATCH", `/v1/projects/${project.id}`, { repository: text });
      await send("POST", "/v1/hooks", { forge: "github", repository: text });
      if (WebAddress.safeParse(text).success) continue;
      await send("PATCH", `/v1/projects/${project.id}`, { health_check: { url: text } });
      await send("POST", "/v1/webhooks", { kind: "standard", url: text, events: ["*"] });
    }
    for (const status of [200, 201, 422]) expect(counts.get(status), String(status)).toBeGreaterThan(1);
    for (const path of ["/v1/projects", "/v1/events", "/v1/audit", "/v1/hooks"])
      answers.push(await (await call(path, { token: project.token })).text());
    const stored = [
      ...answers,
      await databaseText(),
      await logsText(),
      await objectText(env.PROJECT_LANE.getByName(project.id)),
      await objectText(env.AGENT_LINK.getByName(project.agent.serverId)),
      printed(),
    ];
    for (const part of pasted.flatMap(({ parts }) => parts))
      expect([part, ...stored.filter((text) => text.includes(part))]).toEqual([part]);
  });
});
