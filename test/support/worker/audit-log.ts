import { env } from "cloudflare:workers";

import { type AuditSeal, AuditSealCopies, AuditSeals } from "#contract/endpoints/audit/schemas.ts";
import { type AuditLog, type KnownSeal, verifyAuditLog } from "#sealing/verify-audit-log.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { auditWrites, type NewAuditEntry } from "#worker/db/changes/change-writes.ts";
import { ids, type TestAccount } from "./account.ts";
import { call } from "./call.ts";

/** The clock of the rounds that seal. */
export const clock = { now: () => Date.now() };

/** An entry as an endpoint writes it. */
export function entry(more: Partial<NewAuditEntry> = {}): NewAuditEntry {
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

/** Writes entries to the audit log of an account. */
export async function add({ id }: TestAccount, entries: readonly NewAuditEntry[]): Promise<void> {
  const rows = new AccountRows(env.DB, id);
  await rows.runTogether(auditWrites(rows, entries));
}

export const get = (path: string, token: string, accept = "application/json") =>
  call(path, { token, headers: { accept } });

/** What `gantry audit verify` reads. */
export async function logOf(account: TestAccount): Promise<AuditLog> {
  const [lines, seals] = [await linesOf(account), await sealsOf(account)];
  const page = await get("/v1/audit/seals/copies?limit=100", account.token);
  const { copies } = AuditSealCopies.parse(await page.json());
  return { accountId: account.id, lines, seals, copies };
}

/** The audit log as it is exported, one line for each entry. */
export async function linesOf({ token }: TestAccount): Promise<string[]> {
  const exported = await get("/v1/audit", token, "application/x-ndjson");
  return (await exported.text()).split("\n").slice(0, -1);
}

/** The seals of an account, the oldest first. */
export async function sealsOf({ token }: TestAccount): Promise<AuditSeal[]> {
  const page = await get("/v1/audit/seals?limit=100", token);
  return AuditSeals.parse(await page.json()).seals.toReversed();
}

/** Verifies the audit log of an account. @param known a seal that the caller knows */
export const check = async (account: TestAccount, known: KnownSeal | null = null, now = clock.now()) =>
  await verifyAuditLog(await logOf(account), known, now);
