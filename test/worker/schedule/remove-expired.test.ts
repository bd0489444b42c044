import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { removeExpired } from "#worker/db/schedule/remove-expired.ts";
import { createAccount, createToken } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { inDays, runScheduleIn } from "../../support/worker/schedule.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function rowsOf(statement: string): Promise<unknown[]> {
  return (await env.DB.prepare(statement).all()).results;
}

/** Only this part of the schedule, which seals the audit log before it. */
async function removeExpiredIn(days: number): Promise<void> {
  await inDays(days, () => removeExpired(env.DB, Date.now()));
}

describe("expired rows in the database", () => {
  it("responses for Idempotency-Keys are deleted after a day", async () => {
    const { token } = await createAccount();
    const body = { name: "CI", scopes: ["tokens:read"] };
    const headers = { "idempotency-key": "one" };
    const make = () => call("/v1/tokens", { method: "POST", token, body, headers });
    expect((await make()).status).toBe(201);
    await runScheduleIn(0.9);
    expect((await make()).headers.get("idempotent-replayed")).toBe("true");
    await runScheduleIn(1.1);
    expect(await rowsOf("SELECT id FROM idempotency_keys")).toEqual([]);
  });

  it("revoked tokens are deleted after a day, and others are not", async () => {
    const { id, token } = await createAccount();
    const ended = await createToken(id, { name: "ended", expiresAt: Date.now() - 1 });
    const { id: revoked } = await createToken(id, { name: "revoked" });
    expect((await call(`/v1/tokens/${revoked}`, { method: "DELETE", token })).status).toBe(204);
    await runScheduleIn(0.9);
    expect(await rowsOf("SELECT id FROM tokens")).toHaveLength(3);
    await runScheduleIn(1.1);
    expect(await rowsOf("SELECT name FROM tokens ORDER BY name")).toEqual([
      { name: "ended" },
      { name: "test" },
    ]);
    expect((await call("/v1/account", { token: ended.secret })).status).toBe(401);
  });

  it("the previous secret of a token is deleted at once, and the current one is not", async () => {
    const { token } = await createAccount();
    const { id } = await (
      await call("/v1/account", { token })
    )
      .json<{ token: { id: string } }>()
      .then((one) => one.token);
    await env.DB.prepare("UPDATE tokens SET expires_at = ?")
      .bind(Date.now() + 30 * 86_400_000)
      .run();
    const rotated = await call(`/v1/tokens/${id}/rotate`, { method: "POST", token, body: {} });
    const { token: secret } = await rotated.json<{ token: string }>();
    const previous =
      "SELECT id FROM tokens WHERE previous_hash IS NOT NULL OR previous_expires_at IS NOT NULL";
    await runScheduleIn(0.9);
    expect(await rowsOf(previous)).toHaveLength(1);
    expect((await call("/v1/account", { token })).status).toBe(200);
    await runScheduleIn(1.1);
    expect(await rowsOf(previous)).toEqual([]);
    expect((await call("/v1/account", { token: secret })).status).toBe(200);
  });

  it("events are deleted after 90 days, except the newest of each account, whose numbers continue", async () => {
    const { token } = await createAccount();
    const other = await createAccount("other");
    await enrolAgent(token, "web-1");
    await enrolAgent(token, "web-2");
    await enrolAgent(other.token, "web-1");
    const numbers = "SELECT sequence FROM events ORDER BY account_id, sequence";
    await removeExpiredIn(89);
    expect(await rowsOf(numbers)).toHaveLength(3);
    await removeExpiredIn(91);
    expect(await rowsOf(numbers)).toEqual([{ sequence: 2 }, { sequence: 1 }]);
    await enrolAgent(token, "web-3");
    expect(await rowsOf(numbers)).toEqual([{ sequence: 2 }, { sequence: 3 }, { sequence: 1 }]);
  });

  /** Adds a seal that was made now. */
  async function addSeal(accountId: string, number: number, first: number, last: number): Promise<void> {
    await env.DB.prepare(
      "INSERT INTO audit_seals (id, account_id, number, first_entry, last_entry, hash, entries_hash, sealed_at) VALUES (?, ?, ?, ?, ?, '00', '00', ?)",
    )
      .bind(`${accountId}-${number}`, accountId, number, first, last, Date.now())
      .run();
  }

  it("entries of the audit log are deleted 400 days after they were sealed, except entries of the newest seal", async () => {
    const { id, token } = await createAccount();
    for (const name of ["a", "b", "c", "d"]) await enrolAgent(token, name);
    const numbers = "SELECT sequence FROM audit_entries ORDER BY sequence";
    const all = await rowsOf(numbers);
    await removeExpiredIn(401);
    expect(await rowsOf(numbers)).toEqual(all);
    await addSeal(id, 1, 1, 2);
    await removeExpiredIn(401);
    expect(await rowsOf(numbers)).toEqual(all);
    await addSeal(id, 2, 3, 3);
    await removeExpiredIn(399);
    expect(await rowsOf(numbers)).toEqual(all);
    await removeExpiredIn(401);
    expect(await rowsOf(numbers)).toEqual(all.slice(2));
    await addSeal(id, 3, 4, 99);
    await removeExpiredIn(401);
    expect(await rowsOf(numbers)).toEqual(all.slice(3));
  });

  it("a step deletes all entries of a seal or none, and at most 1,000", async () => {
    const accounts = [await createAccount(), await createAccount("other")];
    for (const { id } of accounts) {
      await env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 601)
         INSERT INTO audit_entries (id, account_id, sequence, created_at, actor, action, outcome)
         SELECT ?1 || i, ?1, i, 0, '{}', 'updateServer', 'done' FROM n`,
      )
        .bind(id)
        .run();
      await addSeal(id, 1, 1, 600);
      await addSeal(id, 2, 601, 601);
    }
    const counts = "SELECT count(*) AS left FROM audit_entries GROUP BY account_id ORDER BY left";
    const removeSome = () => inDays(401, () => removeExpired(env.DB, Date.now(), new Set(["audit"])));
    expect(await removeSome()).toEqual(["audit"]);
    expect(await rowsOf(counts)).toEqual([{ left: 1 }, { left: 601 }]);
    expect(await removeSome()).toEqual(["audit"]);
    expect(await rowsOf(counts)).toEqual([{ left: 1 }, { left: 1 }]);
    expect(await removeSome()).toEqual([]);
  });

  it("unused enrolment tokens are deleted at once, and agents' credentials are not", async () => {
    const { token } = await createAccount();
    await enrolAgent(token, "web-1");
    await call("/v1/servers", { method: "POST", token, body: { name: "web-2", ip: "192.0.2.1" } });
    const waiting = "SELECT name FROM servers WHERE enrollment_hash IS NOT NULL";
    await runScheduleIn(0.5 / 24);
    expect(await rowsOf(waiting)).toEqual([{ name: "web-2" }]);
    await runScheduleIn(1.1 / 24);
    expect(await rowsOf(waiting)).toEqual([]);
    expect(await rowsOf("SELECT name FROM servers WHERE credential_hash IS NOT NULL")).toEqual([
      { name: "web-1" },
    ]);
  });
});
