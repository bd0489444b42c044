import { afterEach, describe, expect, it, vi } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { ids, newSecret } from "../../../support/worker/account.ts";
import { call, problemOf } from "../../../support/worker/call.ts";
import { countRequests } from "../../../support/worker/request-limits.ts";
import { recordStatements } from "../../../support/worker/statements.ts";
import { createSignInCode, signIn } from "../../../support/worker/sessions.ts";
import type { World } from "../../../support/worker/world.ts";
import { copyWorld } from "../../../support/worker/world-copy.ts";

countRequests();

afterEach(() => {
  vi.restoreAllMocks();
});

/** The limit of one address per minute in wrangler.toml. */
const MOST = 60;

type Door = (from: Record<string, string>, secret: string) => Promise<Response>;

const enroll: Door = (headers, token) =>
  call("/v1/agent/enroll", {
    method: "POST",
    headers,
    body: { token, hostname: "web-1", agent_version: "0.2.0" },
  });
const connect: Door = (headers, token) => call("/v1/agent/connect", { headers, token });
const report: Door = (headers, token) =>
  call(`/v1/agent/deployments/${ids.deployment()}/events`, { method: "POST", headers, token, body: {} });
const trade: Door = (headers, code) => signIn(code, headers);
const read: Door = (headers, token) => call("/v1/account", { headers, token });

async function enrollmentOf({ account }: World): Promise<string> {
  const body = { name: "web-9", ip: "192.0.2.9" };
  const created = await call("/v1/servers", { method: "POST", token: account.token, body });
  return ServerCreated.parse(await created.json()).enrollment.token;
}

const endpointsBySecret = [
  ["the API", "203.0.113.1", read, "api", ({ account }: World) => account.token, 200],
  ["an agent's reports", "203.0.113.2", report, "agent", ({ credential }: World) => credential, 422],
  // The token is accepted. Then the request is refused because it has no Upgrade header.
  ["an agent's link", "203.0.113.3", connect, "agent", ({ credential }: World) => credential, 426],
  ["enrolment", "203.0.113.4", enroll, "enrollment", enrollmentOf, 201],
  [
    "the dashboard",
    "203.0.113.5",
    trade,
    "sign_in",
    ({ account }: World) => createSignInCode(account.id),
    201,
  ],
] as const;

describe("a wrong secret", () => {
  it.each(endpointsBySecret)("causes no write to %s", async (_name, _address, send, kind) => {
    await copyWorld();
    const statements = recordStatements();
    expect((await send({ "cf-connecting-ip": "203.0.113.50" }, newSecret(kind))).status).toBe(401);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.filter((text) => !text.startsWith("select "))).toEqual([]);
  });
});

describe("an IPv6 address", () => {
  it("is counted with its /64, which belongs to one customer", async () => {
    const send = (address: string) => read({ "cf-connecting-ip": address }, newSecret("api"));
    let last = 401;
    for (let count = 0; count < 2 * MOST && last === 401; count += 1)
      last = (await send(`2001:db8:0:64:${count.toString(16)}::1`)).status;
    expect(last).toBe(429);
    expect((await send("2001:db8:0:65::1")).status).toBe(401);
  });
});

describe("an address that sends too many wrong tokens", () => {
  it.each(endpointsBySecret)(
    "is refused by %s, while a valid token from the same address is accepted",
    async (_name, address, send, kind, secretOf, status) => {
      const world = await copyWorld();
      const from = { "cf-connecting-ip": address };
      const right = await secretOf(world);
      const passed: number[] = [];
      let refused = await send(from, newSecret(kind));
      // A new minute may begin in the meantime.
      while (refused.status !== 429 && passed.length <= 2 * MOST) {
        passed.push(refused.status);
        refused = await send(from, newSecret(kind));
      }
      expect(refused.status).toBe(429);
      expect(passed.length).toBeGreaterThanOrEqual(MOST);
      expect(new Set(passed)).toEqual(new Set([401]));
      expect(refused.headers.get("retry-after")).toBe("60");
      expect(await problemOf(refused)).toMatchObject({ code: "rate_limited" });
      expect((await send(from, right)).status).toBe(status);
      expect((await send({ "cf-connecting-ip": "203.0.113.99" }, newSecret(kind))).status).toBe(401);
    },
  );
});
