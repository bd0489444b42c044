import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { AuditEntries } from "#contract/endpoints/audit/schemas.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findUnsealedAccounts } from "#worker/db/audit/audit-records.ts";
import { unnamedEntryWrites } from "#worker/db/changes/change-writes.ts";
import { sealAudit } from "#worker/schedule/seal-audit.ts";
import { createAccount, createToken, ids } from "../../support/worker/account.ts";
import { failCalls } from "../../support/worker/intercept.ts";
import { runRound } from "../../support/worker/schedule.ts";
import { createWorld } from "../../support/worker/world.ts";
import { add, check, clock, entry, get, linesOf, logOf } from "../../support/worker/audit-log.ts";

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

  it("lists the entries of a member, whichever sessions and tokens they have used", async () => {
    const { account, projectId } = await createWorld();
    const ada = { id: ids.member(), name: "Ada" };
    const by = (id: string, member = ada) => ({ type: "token", id, name: member.name, member }) as const;
    await add(account, [
      entry({ actor: by("tok_1") }),
      entry({ actor: by("tok_2"), projectId }),
      entry({ actor: by("tok_3", { id: ids.member(), name: "Ada" }) }),
      entry(),
    ]);
    const list = async (query: string) =>
      AuditEntries.parse(await (await get(`/v1/audit?${query}`, account.token)).json()).entries.map(
        ({ actor }) => actor.id,
      );
    expect(await list(`actor_id=${ada.id}`)).toEqual(["tok_2", "tok_1"]);
    expect(await list(`actor_id=${ada.id}&project_id=${projectId}`)).toEqual(["tok_2"]);
    expect(await list(`actor_id=${ids.member()}`)).toEqual([]);
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
    const { seals, lines, copies } = await logOf(account);
    expect(seals.map(({ number }) => number)).toEqual([1, 2]);
    expect(await check(account)).toEqual({
      ok: true,
      sealed: { first: 1, last: lines.length },
      open: null,
      removed: null,
    });
    expect(copies.map(({ object, hash }) => [object, hash])).toEqual(
      seals.map(({ number, hash }) => [`seals/${account.id}/00000000000${number}.json`, hash]),
    );
    const events = await (await get("/v1/events?type=audit.sealed", account.token)).json();
    expect(events).toMatchObject({
      events: [{ data: { seal: { number: 2, hash: seals[1]?.hash } } }, { data: { seal: { number: 1 } } }],
    });
    await add(account, [entry()]);
    const next = lines.length + 1;
    expect(await check(account)).toMatchObject({ ok: true, open: { first: next, last: next } });
  });

  it("is sealed after audit logs that were sealed longer ago", async () => {
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
    expect(await check(account)).toMatchObject({ ok: true, open: null });
  });

  it("is sealed once by two runs at the same time", async () => {
    const account = await createAccount();
    await add(account, [entry(), entry()]);
    const later = { now: () => clock.now() + 1_000 };
    await Promise.all([runRound(sealAudit, clock), runRound(sealAudit, later)]);
    expect(await check(account)).toMatchObject({ ok: true, sealed: { first: 1, last: 2 } });
    const { copies } = await logOf(account);
    expect(copies).toHaveLength(1);
  });

  it("exports names that D1 writes into an entry as Gantry would", async () => {
    const account = await createAccount();
    const codes = [...Array(0x3_00).keys(), 0x20_28, 0x20_29, 0xfe_ff, 0xff_fd, 0x1_f6_80].slice(1);
    const name = String.fromCodePoint(...codes);
    const { id } = await createToken(account.id, { name });
    const rows = new AccountRows(env.DB, account.id);
    const target = { type: "token", id, name: null } as const;
    await rows.runTogether(unnamedEntryWrites(rows, entry({ target })));
    const [line = ""] = await linesOf(account);
    expect(JSON.parse(line)).toMatchObject({ target: { type: "token", id, name } });
  });

  it("is sealed up to the start of the round, also if one account has more entries than a seal covers", async () => {
    const { account } = await createWorld();
    await add(
      account,
      Array.from({ length: 1_200 }, () => entry({ createdAt: Date.now() - 1_000 })),
    );
    expect(await runRound(sealAudit)).toBe(0);
    const { seals } = await logOf(account);
    expect(seals.at(-1)?.last_entry).toBeGreaterThanOrEqual(1_200);
    expect(await check(account)).toMatchObject({ ok: true });
  });
});
