import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { beforeEach, describe, expect, it } from "vitest";

import { newSignInCode, type SignInAccount } from "../../scripts/shared/sign-in-code.ts";

const NOW = 1_800_000_000_000;
const migrations = join(import.meta.dirname, "..", "..", "migrations");

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(":memory:");
  for (const file of readdirSync(migrations)
    .filter((name) => name.endsWith(".sql"))
    .toSorted())
    database.exec(readFileSync(join(migrations, file), "utf8"));
});

function addAccount(name: string): void {
  database.prepare("INSERT INTO accounts (id, name, created_at) VALUES (?, ?, 0)").run(`acct_${name}`, name);
  database
    .prepare(
      "INSERT INTO members (id, account_id, name, email, is_owner, grants, created_at) VALUES (?, ?, 'Ada', ?, 1, '[]', 0)",
    )
    .run(`mem_${name}`, `acct_${name}`, `ada@${name}.example`);
}

/** The codes that a call has stored. */
function codesOf(account: SignInAccount, member: string | null): unknown[] {
  const { statement } = newSignInCode(account, NOW, member);
  database.prepare(statement.sql).run(...statement.parameters);
  return database.prepare("SELECT account_id, member_id, expires_at - ? AS ms FROM sign_in_codes").all(NOW);
}

const code = (account: string, member: string | null) => ({
  account_id: account,
  member_id: member,
  ms: 600_000,
});

describe("the code of a sign-in link", () => {
  it("is nobody's, or a member's by the address or the id", () => {
    addAccount("acme");
    expect(codesOf("only", null)).toEqual([code("acct_acme", null)]);
    database.exec("DELETE FROM sign_in_codes");
    expect(codesOf("only", "Ada@ACME.example")).toEqual([code("acct_acme", "mem_acme")]);
    database.exec("DELETE FROM sign_in_codes");
    expect(codesOf({ name: "acme" }, "mem_acme")).toEqual([code("acct_acme", "mem_acme")]);
  });

  it("is not made for a member of another account, or if there are several accounts", () => {
    addAccount("acme");
    addAccount("other");
    expect(codesOf({ name: "acme" }, "ada@other.example")).toEqual([]);
    expect(codesOf("only", "ada@acme.example")).toEqual([]);
    expect(codesOf("only", null)).toEqual([]);
    expect(codesOf({ name: "other" }, "ada@other.example")).toEqual([code("acct_other", "mem_other")]);
  });
});
