import type { Item } from "#cli/configuration/item.ts";
import { isList, type Fields } from "#cli/configuration/json.ts";
import {
  checked,
  documentFields,
  itemOrNull,
  itemOf,
  type Kind,
  nameIn,
  readTable,
  requestOf,
  sorted,
  without,
} from "#cli/configuration/kind.ts";
import type { Names } from "#cli/configuration/names.ts";
import { changedFields } from "#cli/configuration/plan.ts";
import { readAll } from "#client/read-all.ts";
import { checkTrust } from "#contract/endpoints/trust-rules/check-trust.ts";
import {
  CreateTrustRuleInput,
  type TrustRule,
  UpdateTrustRuleInput,
} from "#contract/endpoints/trust-rules/schemas.ts";
import { TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import { TrustRuleId } from "#contract/ids.ts";
import { unescapeKey } from "#contract/lib/json-pointer.ts";
import { pick } from "#contract/lib/pick.ts";
import { succeed } from "#contract/lib/result.ts";
import { allScopes } from "#contract/scopes.ts";

/** Trust rules. The audience is the address of the installation unless the file names another one. */
export const trustRuleKind: Kind = {
  name: "trust_rules",
  schema: CreateTrustRuleInput,
  parse(key, { name: given, ...table }, reading) {
    const name = nameIn(key, given, reading.issues);
    const read = readTable(table, reading, { schema: CreateTrustRuleInput, fixed: { name } });
    if (read === null) return null;
    const rule = CreateTrustRuleInput.parse(read.request);
    const trust = checkTrust(rule);
    if (!trust.ok) {
      const { pointer, message } = trust.problem;
      reading.issues.push({ path: pointer.split("/").slice(1).map(unescapeKey), message });
      return null;
    }
    const { issuer, claims } = trust.value;
    const audience = rule.audience ?? reading.url;
    const fields = fieldsOf({ ...rule, issuer, claims, audience }, reading.names);
    return { name, identity: identityOf(name, fields), fields, sources: read.sources, masked: [] };
  },
  async read({ client }, names) {
    const rules = await readAll(client.listTrustRules, (page) => page.trust_rules);
    if (!rules.ok) return rules;
    const known = rules.value.filter(({ provider }) => TrustProvider.safeParse(provider).success);
    return succeed(known.map((rule) => toItem(rule, names)));
  },
  readAgain: async ({ client }, names, { id }) =>
    await itemOrNull(client.getTrustRule({ params: { trust_rule_id: TrustRuleId.parse(id) } }), (rule) =>
      toItem(rule, names),
    ),
  async create({ session, names }, { item, after }) {
    const request = requestOf(CreateTrustRuleInput, after, names);
    const body = checked(CreateTrustRuleInput, { ...request, name: item.name });
    return body.ok ? await session.client.createTrustRule({ body: body.value }) : body;
  },
  async update({ session, names }, step) {
    const fields = pick(step.after, changedFields(step));
    const request = requestOf(CreateTrustRuleInput, fields, names);
    const body = checked(UpdateTrustRuleInput, request);
    if (!body.ok) return body;
    const params = { trust_rule_id: TrustRuleId.parse(step.current?.id) };
    return await session.client.updateTrustRule({ params, body: body.value });
  },
  remove: async ({ session }, { id }) =>
    await session.client.deleteTrustRule({ params: { trust_rule_id: TrustRuleId.parse(id) } }),
};

/** Whom a rule trusts cannot change. */
function identityOf(name: string, { provider = "", issuer = "", subject = "" }: Fields): string {
  return JSON.stringify([name, provider, issuer, subject]);
}

function toItem(rule: TrustRule, names: Names): Item {
  const { id, name } = rule;
  const fields = fieldsOf(rule, names);
  return itemOf("trust_rules", { key: name, id, name, identity: identityOf(name, fields), fields });
}

/** The scopes in the order in which the control plane stores them. */
function fieldsOf(rule: object, names: Names): Fields {
  const {
    scopes,
    projects = null,
    ...fields
  } = without(documentFields(CreateTrustRuleInput, rule, names), "name");
  const given = new Set(isList(scopes) ? scopes.map(String) : []);
  const known = allScopes.filter((scope) => given.has(scope));
  const others = [...given].filter((scope) => !allScopes.some((one) => one === scope));
  return {
    ...fields,
    scopes: [...known, ...others],
    projects: projects === null ? null : sorted(projects),
  };
}
