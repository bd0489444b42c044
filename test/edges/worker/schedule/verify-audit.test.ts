import { env } from "cloudflare:workers";
import { getTableName } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { type AuditSeal, AuditSealCopies } from "#contract/endpoints/audit/schemas.ts";
import { hashOfSeal } from "#sealing/audit-chain.ts";
import { verifyAuditLog } from "#sealing/verify-audit-log.ts";
import { auditEntries, auditSeals } from "#worker/db/event-tables.ts";
import { removeExpired } from "#worker/db/schedule/remove-expired.ts";
import { columnsOf } from "#worker/db/statements.ts";
import { sealAudit } from "#worker/schedule/seal-audit.ts";
import { createAccount, ids } from "../../../support/worker/account.ts";
import { inDays, runRound } from "../../../support/worker/schedule.ts";
import { add, check, clock, entry, get, linesOf, logOf, sealsOf } from "../../../support/worker/audit-log.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return () => vi.restoreAllMocks();
});

describe("the verification of the audit log", () => {
  /** Three seals of two entries each, and two entries that are not sealed. */
  async function sealedLog() {
    const account = await createAccount();
    const entries = [
      entry(),
      entry({ projectId: ids.project(), code: "not_found", outcome: "refused", changes: null }),
    ];
    for (let seal = 0; seal < 3; seal += 1) {
      await add(
        account,
        entries.map((one) => ({ ...one, id: ids.auditEntry() })),
      );
      await runRound(sealAudit, clock);
    }
    await add(account, [entry(), entry()]);
    expect(await check(account)).toEqual({
      ok: true,
      sealed: { first: 1, last: 6 },
      open: { first: 7, last: 8 },
      removed: null,
    });
    return { account, kept: await keepLog() };
  }

  /** @returns statements that write both tables again as they are now */
  async function keepLog(): Promise<string[]> {
    const names = ["audit_entries", "audit_seals"];
    await execute(
      names.flatMap((name) => [
        `DROP TABLE IF EXISTS kept_${name}`,
        `CREATE TABLE kept_${name} AS SELECT * FROM ${name}`,
      ]),
    );
    return names.flatMap((name) => [`DELETE FROM ${name}`, `INSERT INTO ${name} SELECT * FROM kept_${name}`]);
  }

  const execute = async (statements: readonly string[]) =>
    await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));

  /** @returns the changes that the verification does not notice, or about which it names no entry or seal */
  async function unnoticed(
    { account, kept }: Awaited<ReturnType<typeof sealedLog>>,
    table: typeof auditEntries | typeof auditSeals,
    changes: readonly (readonly string[])[],
  ): Promise<unknown[]> {
    const missed: unknown[] = [];
    const log = await logOf(account);
    for (const statements of changes) {
      const results = (await execute([...kept, ...statements])).slice(kept.length);
      const changed =
        table === auditEntries ? { lines: await linesOf(account) } : { seals: await sealsOf(account) };
      const found = await verifyAuditLog({ ...log, ...changed }, null, clock.now());
      const hasChanged = results.some(({ meta }) => meta.changes > 0);
      const isNamed = !found.ok && /\b(?:entry|entries|seal) .*\d/i.test(found.problem);
      // A value can be null already.
      if (hasChanged ? !isNamed : !statements.join("").includes("= NULL")) missed.push([statements, found]);
    }
    await execute(kept);
    return missed;
  }

  /** Other values for a column, as SQL: of its kind, of another kind, and with the same meaning in another form. */
  function othersFor(column: SQLiteColumn): string[] {
    const name = `"${column.name}"`;
    const cleared = column.notNull ? [] : ["NULL"];
    if (column === auditEntries.accountId || column === auditSeals.accountId) return ["'acct_other'"];
    if (column.dataType === "json")
      return [
        ...cleared,
        ...(column.notNull ? [] : ["'null'"]),
        `coalesce(json_insert(${name}, '$.unknown', 1), '{}')`,
        `coalesce('{"id":"tok_2",' || substr(${name}, 2), '{"id":1}')`,
        `coalesce(replace(${name}, ',', ', '), '[]')`,
        `coalesce(replace(${name}, 'web', 'www'), ' null') || ' '`,
      ];
    if (column.getSQLType() === "integer")
      return [`${name} + 100`, `${name} + 0.25`, `${name} - ${400 * 24 * 60 * 60 * 1000}`];
    return [...cleared, `coalesce(${name} || 'x', 'x')`, `CAST(coalesce(${name}, '') AS BLOB)`];
  }

  /** Each other value of each column of the rows. */
  function changesOf(table: SQLiteTable, key: SQLiteColumn, rows: readonly number[]): string[][] {
    return rows.flatMap((row) =>
      columnsOf(table).flatMap(([, column]) =>
        othersFor(column).map((other) => [
          `UPDATE ${getTableName(table)} SET "${column.name}" = ${other} WHERE ${key.name} = ${row} AND "${column.name}" IS NOT ${other}`,
        ]),
      ),
    );
  }

  /** Adds a copy of a row with another number. */
  function copyOf(table: SQLiteTable, key: SQLiteColumn, row: number, number: number): string {
    const name = getTableName(table);
    const copied = columnsOf(table).map(([, column]) =>
      column.name === "id" ? "id || '2'" : column.name === key.name ? `${number}` : column.name,
    );
    return `INSERT INTO ${name} SELECT ${copied.join(", ")} FROM ${name} WHERE ${key.name} = ${row}`;
  }

  /** Drops, swaps and duplicates the rows. */
  function movesOf(table: SQLiteTable, key: SQLiteColumn, rows: readonly number[]): string[][] {
    const name = getTableName(table);
    const set = (from: string, to: string) =>
      `UPDATE ${name} SET ${key.name} = ${to} WHERE ${key.name} = ${from}`;
    return rows.flatMap((row) => [
      [`DELETE FROM ${name} WHERE ${key.name} = ${row}`],
      [set(`${row}`, "-1"), set(`${row + 1}`, `${row}`), set("-1", `${row + 1}`)],
      [
        `UPDATE ${name} SET ${key.name} = -${key.name} - 1 WHERE ${key.name} > ${row}`,
        `UPDATE ${name} SET ${key.name} = -${key.name} WHERE ${key.name} < 0`,
        copyOf(table, key, row, row + 1),
      ],
      [`DELETE FROM ${name} WHERE ${key.name} >= ${row}`],
      [`DELETE FROM ${name} WHERE ${key.name} <= ${row}`],
    ]);
  }

  it("notices each change of each column of a sealed entry, and that one was dropped, moved or added", async () => {
    const log = await sealedLog();
    const sealed = [1, 2, 3, 4, 5, 6];
    const { sequence } = auditEntries;
    const changes = [
      ...changesOf(auditEntries, sequence, sealed),
      ...movesOf(auditEntries, sequence, sealed),
      // Before the first entry.
      ...[0, -1, -1e300].map((number) => [copyOf(auditEntries, sequence, 1, number)]),
    ];
    expect(await unnoticed(log, auditEntries, changes)).toEqual([]);
  });

  it("notices each change of each column of a seal, and that one was dropped, moved or added", async () => {
    const log = await sealedLog();
    const { number } = auditSeals;
    const numbers = [1, 2, 3];
    const moves = movesOf(auditSeals, number, numbers);
    const changes = [...changesOf(auditSeals, number, numbers), ...moves];
    expect(await unnoticed(log, auditSeals, changes)).toEqual([]);
  });

  it("notices that entries are missing, also if their seals are dated back", async () => {
    const { account, kept } = await sealedLog();
    for (const seal of [1, 2, 3]) {
      for (const entries of [`<= ${seal * 2}`, `= ${seal * 2}`]) {
        await execute([
          `UPDATE audit_seals SET sealed_at = 1700000000000 WHERE number <= ${seal}`,
          `DELETE FROM audit_entries WHERE sequence ${entries}`,
        ]);
        expect(await check(account)).toMatchObject({ problem: expect.stringMatching("^Seal 1 was changed") });
        await execute(kept);
      }
    }
  });

  it("notices seals whose hashes were computed again, by their copies", async () => {
    const { account, kept } = await sealedLog();
    for (let forged = 1; forged <= 3; forged += 1) {
      await execute([`UPDATE audit_seals SET sealed_at = sealed_at - 1 WHERE number = ${forged}`]);
      let before: AuditSeal | null = null;
      for (const seal of (await logOf(account)).seals) {
        const hash = await hashOfSeal(seal, before?.hash ?? null);
        before = { ...seal, hash };
        await execute([`UPDATE audit_seals SET hash = '${hash}' WHERE number = ${seal.number}`]);
      }
      expect(await check(account)).toMatchObject({
        problem: expect.stringMatching(`^Seal ${forged} differs from its copy in R2, seals/`),
      });
      await execute(kept);
    }
  });

  it("notices each change of a copy, and that one is missing or was added", async () => {
    const { account } = await sealedLog();
    for (const { number, object } of (await logOf(account)).copies) {
      const stored = await (await env.LOGS.get(object))?.text();
      if (stored === undefined) throw new Error("no copy");
      for (const other of [
        stored.replace(":", ": "),
        "",
        stored.replace(/"sealed_at":"2/, '"sealed_at":"1'),
      ]) {
        await env.LOGS.put(object, other);
        expect(await check(account)).toMatchObject({
          problem: `Seal ${number} differs from its copy in R2, ${object}.`,
        });
      }
      await env.LOGS.delete(object);
      expect(await check(account)).toMatchObject({ problem: `Seal ${number} has no copy in R2.` });
      await env.LOGS.put(object, stored);
    }
    expect(await check(account)).toMatchObject({ ok: true });
    await env.LOGS.put(`seals/${account.id}/000000000002.text`, "");
    expect(await check(account)).toMatchObject({ ok: true });
    const page = await get("/v1/audit/seals/copies?limit=2", account.token);
    const { copies, next_cursor } = AuditSealCopies.parse(await page.json());
    expect(copies.map(({ number }) => number)).toEqual([1, 2]);
    const next = await get(`/v1/audit/seals/copies?limit=2&cursor=${next_cursor}`, account.token);
    expect(AuditSealCopies.parse(await next.json())).toMatchObject({
      copies: [{ number: 3 }],
      next_cursor: null,
    });
    await env.LOGS.put(`seals/${account.id}/000000000004.json`, "{}");
    expect(await check(account)).toMatchObject({ problem: expect.stringMatching("^Seal 4 is missing") });
  });

  it("notices of entries that are not sealed only a gap, a wrong place and what Gantry never writes", async () => {
    const log = await sealedLog();
    const name = "audit_entries";
    expect(
      await unnoticed(log, auditEntries, [
        [`DELETE FROM ${name} WHERE sequence = 7`],
        [`UPDATE ${name} SET sequence = 9 WHERE sequence = 8`],
        [`UPDATE ${name} SET actor = json_insert(actor, '$.unknown', 1) WHERE sequence = 7`],
        [`UPDATE ${name} SET target = json_insert(target, '$.unknown', 1) WHERE sequence = 8`],
        [`UPDATE ${name} SET changes = json_insert(changes, '$.name.unknown', 1) WHERE sequence = 8`],
        [`UPDATE ${name} SET actor = '{"id":1,' || substr(actor, 2) WHERE sequence = 8`],
      ]),
    ).toEqual([]);
    await execute([
      `DELETE FROM ${name} WHERE sequence = 8`,
      `UPDATE ${name} SET ip = 'x' WHERE sequence = 7`,
    ]);
    expect(await check(log.account)).toMatchObject({ ok: true, open: { first: 7, last: 7 } });
  });

  it("fails if the log does not contain the seal that the caller knows", async () => {
    const { account } = await sealedLog();
    const [first, , newest] = (await logOf(account)).seals;
    if (first === undefined || newest === undefined) throw new Error("no seals");
    expect(await check(account, newest)).toMatchObject({ ok: true });
    expect(await check(account, { ...newest, hash: first.hash })).toEqual({
      ok: false,
      problem: "Seal 3 does not have the expected hash.",
    });
    expect(await check(account, { number: 4, hash: newest.hash })).toMatchObject({
      problem: "Seal 4, which you know, is missing.",
    });
  });

  it("fails after a restore of the database, until the caller names a seal since then", async () => {
    const { account, kept } = await sealedLog();
    await runRound(sealAudit, clock);
    expect(await check(account)).toMatchObject({ ok: true, sealed: { last: 8 } });
    await execute(kept);
    expect(await check(account)).toMatchObject({
      problem: expect.stringMatching("^Seal 4 is missing: R2 has"),
    });
    // As if the day of the restore had been another one.
    await execute([
      "DELETE FROM audit_entries WHERE sequence = 8",
      "UPDATE audit_entries SET ip = 'x' WHERE sequence = 7",
    ]);
    await runRound(sealAudit, clock);
    await add(account, [entry()]);
    await runRound(sealAudit, clock);
    expect(await check(account)).toMatchObject({
      problem: expect.stringMatching("^Seal 4 differs from its copy"),
    });
    const { seals, copies } = await logOf(account);
    expect(copies.map(({ number }) => number)).toEqual([1, 2, 3, 4, 4, 5]);
    const [, , , since] = seals;
    expect(await check(account, since)).toMatchObject({ ok: true, sealed: { first: 1, last: 8 } });
  });

  it("accepts that entries are missing whose seals are older than the retention, and no others", async () => {
    const { account } = await sealedLog();
    await inDays(5, async () => {
      await runRound(sealAudit);
      await add(account, [entry()]);
      await runRound(sealAudit);
    });
    const checkIn = (days: number) => check(account, null, Date.now() + days * 24 * 60 * 60 * 1000);
    await inDays(401, async () => {
      while ((await removeExpired(env.DB, Date.now())).length > 0);
    });
    const { seals } = await logOf(account);
    expect(await checkIn(401)).toEqual({
      ok: true,
      sealed: { first: 7, last: 9 },
      open: null,
      removed: { last_entry: 6, sealed_at: seals[2]?.sealed_at },
    });
    expect(await checkIn(398)).toMatchObject({
      problem: expect.stringMatching("^The entries 1 to 2 of seal 1 are missing"),
    });
    const kept = await keepLog();
    for (const [statement, problem] of [
      ["DELETE FROM audit_entries WHERE sequence <= 8", "The entries 7 to 8 of seal 4 are missing"],
      ["DELETE FROM audit_entries WHERE sequence = 7", "Entry 7 is missing"],
      ["DELETE FROM audit_entries", "The entries 7 to 8 of seal 4 are missing"],
      ["UPDATE audit_seals SET first_entry = 1, id = id WHERE number = 2", "Seal 2 was changed"],
      ["UPDATE audit_seals SET entries_hash = hash WHERE number = 1", "Seal 1 was changed"],
      ["DELETE FROM audit_seals WHERE number = 1", "Seal 1 is missing"],
    ] as const) {
      await execute([statement]);
      expect(await checkIn(401)).toMatchObject({ problem: expect.stringMatching(`^${problem}`) });
      await execute(kept);
    }
  });
});
