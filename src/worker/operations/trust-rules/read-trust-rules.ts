import type { TrustRule, TrustRuleRows } from "#contract/endpoints/trust-rules/schemas.ts";
import { TrustRuleId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import {
  findTrustRule,
  listTrustRules as readTrustRules,
} from "#worker/db/trust-rules/trust-rule-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readAll } from "#worker/paging.ts";
import { trustRuleView } from "#worker/views/trust-rule-view.ts";

/** Returns a trust rule. */
export async function getTrustRule(
  { rows }: Context,
  id: TrustRuleId,
): Promise<Result<TrustRule, "not_found">> {
  const rule = await findTrustRule(rows, id);
  return rule === null ? notFound("trust rule") : succeed(trustRuleView(rule));
}

/** Lists the trust rules that the token may see, newest first: all of them, or one page if the query has a limit. */
export async function listTrustRules(
  { rows }: Context,
  query: PageQuery,
): Promise<Result<TrustRuleRows, "invalid_request">> {
  const page = await readAll("trust-rules", TrustRuleId, (position) => readTrustRules(rows, position), query);
  if (!page.ok) return page;
  return succeed({
    trust_rules: page.value.rows.map((rule) => trustRuleView(rule)),
    next_cursor: page.value.nextCursor,
  });
}
