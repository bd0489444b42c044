import { wholeFrom } from "#contract/bounds.ts";
import type {
  AuditEntries,
  AuditQuery,
  AuditSealCopies,
  AuditSeals,
} from "#contract/endpoints/audit/schemas.ts";
import { DEFAULT_PAGE_SIZE, type PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import * as records from "#worker/db/audit/audit-records.ts";
import type { Position } from "#worker/db/reads.ts";
import { CopyName, SealCopies } from "#worker/logs/seal-copies.ts";
import { readPage } from "#worker/paging.ts";
import { auditEntryView, auditLine, auditSealView } from "#worker/views/audit-view.ts";

/** How many entries one read of an export takes. An invocation can make 50 requests on the free plan. */
const EXPORT_PAGE = 1_000;

/** Lists the entries of the audit log that the token can see, newest first. */
export async function listAuditEntries(
  { rows }: Context,
  query: AuditQuery,
): Promise<Result<AuditEntries, "invalid_request">> {
  const list = {
    name: "audit",
    key: wholeFrom(1),
    keyOf: ({ sequence }: records.AuditRecord) => sequence,
    read: (position: Position<number>) => records.listAuditEntries(rows, filterOf(query), position),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  return succeed({ entries: page.value.rows.map(auditEntryView), next_cursor: page.value.nextCursor });
}

/** All entries that match, oldest first, as NDJSON. */
export async function* exportAuditEntries({ rows }: Context, query: AuditQuery): AsyncGenerator<string> {
  for (let after: number | null = null; ;) {
    const found: records.StoredAuditRecord[] = await records.readAuditEntries(
      rows,
      filterOf(query),
      after,
      EXPORT_PAGE,
    );
    yield found.map((entry) => `${auditLine(entry).line}\n`).join("");
    const last = found.at(-1);
    if (last === undefined || found.length < EXPORT_PAGE) return;
    after = last.sequence;
  }
}

/** Lists the seals of the audit log, newest first. */
export async function listAuditSeals(
  { rows }: Context,
  query: PageQuery,
): Promise<Result<AuditSeals, "invalid_request">> {
  const list = {
    name: "audit seals",
    key: wholeFrom(1),
    keyOf: ({ number }: records.StoredSealRecord) => number,
    read: (position: Position<number>) => records.listAuditSeals(rows, position),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  const seals = page.value.rows.flatMap((row) => auditSealView(row) ?? []);
  return succeed({ seals, next_cursor: page.value.nextCursor });
}

/** Lists the copies of the seals in R2, the lowest number first: R2 lists objects in this order only. */
export async function listAuditSealCopies(
  { rows, logs }: Context,
  query: PageQuery,
): Promise<Result<AuditSealCopies, "invalid_request">> {
  const copies = new SealCopies(logs, rows.accountId);
  const list = {
    name: "audit seal copies",
    key: CopyName,
    keyOf: (name: CopyName) => name,
    read: (position: Position<CopyName>) => copies.names(position),
  };
  const page = await readPage(list, query, DEFAULT_PAGE_SIZE);
  if (!page.ok) return page;
  const found = await Promise.all(page.value.rows.map((name) => copies.read(name)));
  return succeed({
    copies: found.flatMap((copy) => copy ?? []),
    next_cursor: page.value.nextCursor,
  });
}

function filterOf({ action, outcome, actor_id, target_id, project_id }: AuditQuery): records.AuditFilter {
  return { action, outcome, actorId: actor_id, targetId: target_id, projectId: project_id };
}
