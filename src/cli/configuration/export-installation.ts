import { exportState } from "#cli/configuration/export-state.ts";
import { type Item, type KindName, kindNames } from "#cli/configuration/item.ts";
import type { Fields } from "#cli/configuration/json.ts";
import { kinds } from "#cli/configuration/kinds.ts";
import { readNames } from "#cli/configuration/read-state.ts";
import type { Result } from "#cli/outcome.ts";
import { mayCall } from "#cli/session/may-call.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** The requests that read each kind. */
const reads = {
  account: "getAccount",
  projects: "getProject",
  variables: "getVariables",
  hooks: "listHooks",
  webhooks: "listWebhooks",
  freezes: "listFreezes",
  trust_rules: "listTrustRules",
  members: "listMembers",
} as const;

/** Reads everything that the token may read, as a document. */
export async function exportInstallation(session: Session): Promise<Result<Fields>> {
  const names = await readNames(session);
  if (!names.ok) return names;
  const state = new Map<KindName, readonly Item[]>();
  for (const kind of kindNames) {
    const isAllowed = await mayCall(session, reads[kind]);
    const items = isAllowed ? await kinds[kind].read(session, names.value) : null;
    if (items?.ok === true) state.set(kind, items.value);
    else if (items !== null && items.problem.code !== "insufficient_scope") return items;
    else session.output.note(`The token may not read ${kind.replace("_", " ")}, so they are left out.`);
  }
  const { environment, url } = session;
  return succeed(exportState(state, { names: names.value, environment, url }));
}
