import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { AuditEntries, AuditEntry, AuditSeals } from "#contract/endpoints/audit/schemas.ts";
import { verifyChain } from "#sealing/audit-chain.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findUnsealedAccounts } from "#worker/db/audit/find-unsealed-accounts.ts";
import { auditWrites, type NewAuditEntry } from "#worker/db/changes/change-writes.ts";
import { sealAudit } from "#worker/schedule/seal-audit.ts";
import { createToken, ids, type TestAccount } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { failCalls } from "../../support/worker/intercept.ts";
import { runRound } from "../../support/worker/schedule.ts";
import { createWorld } from "../../support/worker/world.ts";

const clock = { now: () => Date.now() };

function entry(more: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    id: ids.auditEntry(),
    projectId: null,
    createdAt: Date.now(),
    actor: { type: "token", id: "tok_1", name: "CI" },
    ip: "203.0.113.7",
    requestId: "req_1",
    action: "updateServer",
    outcome: "done",
    code: null,
    target: { type: "server", id: "srv_1", name: "web-1" },
    changes: { name: { before: "web-1", after: "web-2" } },
    ...more,
  };
}

async function add({ id }: TestAccount, entries: readonly NewAuditEntry[]): Promise<void> {
  const rows = new AccountRows(env.DB, id);
  await rows.runTogether(auditWrites(rows, entries));
}

const get = (path: string, token: string, accept = "application/json") =>
  call(path, { token, headers: { accept } });

/** What `gantry audit verify` reads. */
async function chainOf({ token }: TestAccount) {
  const { seals } = AuditSeals.parse(await (await get("/v1/audit/seals", token)).json());
  const lines = await (await get("/v1/audit", token, "application/x-ndjson")).text();
  const entries = lines
    .trim()
    .split("\n")
    .map((line) => AuditEntry.parse(JSON.parse(line)));
  return { seals: seals.toReversed(), entries };
}

const check = async (account: TestAccount) => {
  const { seals, entries } = await chainOf(account);
  return await verifyChain(seals, entries, clock.now());
};

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

describe("the audit log", () => {
  it("lists entries newest first, by action, outcome, actor and target", async () => {
    const { account } = await createWorld();
    await add(account, [entry(), entry({ action: "deleteToken", outcome: "refused", code: "not_found" })]);
    const list = async (query: string) =>
      AuditEntries.parse(await (await get(`/v1/audit${query}`, account.token)).json()).entries;
    const [newest, next] = await list("?limit=2");
    expect(newest).toMatchObject({ action: "deleteToken", outcome: "refused", code: "not_found" });
    expect(next?.sequence).toBe((newest?.sequence ?? 0) - 1);
    expect(await list("?outcome=refused&target_id=srv_1")).toHaveLength(1);
    expect(await list("?actor_id=tok_1&action=updateServer")).toHaveLength(1);
    expect(await list("?actor_id=tok_2")).toEqual([]);
  });

  it("shows a token that is limited to projects only their entries, and no seals", async () => {
    const { account, projectId } = await createWorld();
    await add(account, [entry(), entry({ projectId })]);
    const limited = await createToken(account.id, { scopes: ["audit:read"], projectIds: [projectId] });
    const { entries } = AuditEntries.parse(await (await get("/v1/audit", limited.secret)).json());
    expect(entries.length).toBeGreaterThan(0);
    for (const one of entries) expect(one.project_id).toBe(projectId);
    expect((await get("/v1/audit/seals", limited.secret)).status).toBe(403);
  });

  it("is sealed in a chain that anybody can compute again, with a copy in R2 and an event", async () => {
    const { account } = await createWorld();
    for (let seal = 0; seal < 2; seal += 1) {
      await add(account, [entry(), entry({ changes: null, target: null })]);
      await runRound(sealAudit, clock);
    }
    await runRound(sealAudit, clock);
    const { seals, entries } = await chainOf(account);
    expect(seals.map(({ number }) => number)).toEqual([1, 2]);
    expect(await verifyChain(seals, entries, clock.now())).toEqual({
      ok: true,
      sealed: entries.length,
      open: 0,
      expired: 0,
    });
    const { objects } = await env.LOGS.list({ prefix: `audit/${account.id}/` });
    expect(objects.map(({ key }) => key)).toEqual(
      seals.map(({ number, hash }) => `audit/${account.id}/${number}-${hash}.json`),
    );
    const events = await (await get("/v1/events?type=audit.sealed", account.token)).json();
    expect(events).toMatchObject({
      events: [{ data: { seal: { number: 2, hash: seals[1]?.hash } } }, { data: { seal: { number: 1 } } }],
    });
    await add(account, [entry()]);
    expect(await check(account)).toMatchObject({ ok: true, open: 1 });
  });

  it("is sealed after those that were sealed longer ago", async () => {
    const accounts = [(await createWorld()).account, (await createWorld("blog")).account];
    const [one, other] = accounts;
    if (one === undefined || other === undefined) throw new Error("no accounts");
    for (const account of [one, other, one]) {
      await add(account, [entry()]);
      vi.spyOn(clock, "now").mockReturnValue(clock.now() + 1000);
      await runRound(sealAudit, clock);
    }
    for (const account of accounts) await add(account, [entry()]);
    const found = await findUnsealedAccounts(env.DB, clock.now(), 1000);
    expect(found.filter((id) => accounts.some((account) => account.id === id))).toEqual([other.id, one.id]);
  });

  it("fails the verification if an entry was changed or removed, or a seal replaced", async () => {
    const { account } = await createWorld();
    await add(account, [entry(), entry(), entry()]);
    await runRound(sealAudit, clock);
    await add(account, [entry()]);
    await runRound(sealAudit, clock);
    const { seals, entries } = await chainOf(account);
    const [first, second] = entries;
    if (first === undefined || second === undefined) throw new Error("no entries");
    const changed = [{ ...first, ip: "198.51.100.1" }, ...entries.slice(1)];
    expect(await verifyChain(seals, changed, clock.now())).toMatchObject({ ok: false, seal: { number: 1 } });
    expect(await verifyChain(seals, entries.slice(1), clock.now())).toMatchObject({
      ok: false,
      seal: { number: 1 },
    });
    expect(await verifyChain(seals, [second, first, ...entries.slice(2)], clock.now())).toMatchObject({
      ok: false,
    });
    expect(await verifyChain(seals.slice(1), entries, clock.now())).toMatchObject({
      ok: false,
      seal: { number: 2 },
    });
    const [, ...later] = entries;
    const inTwoYears = clock.now() + 2 * 365 * 24 * 60 * 60 * 1000;
    expect(await verifyChain(seals, later, inTwoYears)).toMatchObject({ ok: true, sealed: 1, expired: 1 });
    expect(await verifyChain(seals, changed, inTwoYears)).toMatchObject({ ok: false, seal: { number: 1 } });
    const replaced = seals.map((seal) => (seal.number === 1 ? { ...seal, hash: "00" } : seal));
    expect(await verifyChain(replaced, entries, clock.now())).toMatchObject({
      ok: false,
      seal: { number: 1 },
    });
  });

  it.each([
    ["R2", () => Object.getPrototypeOf(env.LOGS), "put"],
    ["D1", () => AccountRows.prototype, "runTogether"],
  ] as const)("is sealed by the next run if %s does not answer", async (_, ownerOf, method) => {
    const { account } = await createWorld();
    await add(account, [entry()]);
    const failing = failCalls(ownerOf(), method);
    expect(await runRound(sealAudit, clock)).toBe(1);
    failing.end();
    await add(account, [entry()]);
    await runRound(sealAudit, clock);
    expect(await check(account)).toMatchObject({ ok: true, open: 0 });
  });

  it("is sealed up to the start of the round, also if one account has more entries than a seal covers", async () => {
    const { account } = await createWorld();
    await add(
      account,
      Array.from({ length: 1_200 }, () => entry({ createdAt: Date.now() - 1_000 })),
    );
    expect(await runRound(sealAudit)).toBe(0);
    const { seals } = await chainOf(account);
    expect(seals.at(-1)?.last_entry).toBeGreaterThanOrEqual(1_200);
    expect(await check(account)).toMatchObject({ ok: true });
  });
});
