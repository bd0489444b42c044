import { checked, documentFields, itemOf, type Kind, readTable } from "#cli/configuration/kind.ts";
import type { Names } from "#cli/configuration/names.ts";
import { changedFields } from "#cli/configuration/plan.ts";
import { type Account, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { pick } from "#contract/lib/pick.ts";
import { succeed } from "#contract/lib/result.ts";

const KEY = "account";

/** The settings of the account. */
export const accountKind: Kind = {
  name: "account",
  schema: UpdateAccountInput,
  parse(_key, table, reading) {
    const read = readTable(table, reading, { schema: UpdateAccountInput });
    if (read === null) return null;
    const fields = documentFields(UpdateAccountInput, read.request, reading.names);
    return { name: KEY, identity: KEY, fields, sources: read.sources, masked: [] };
  },
  async read({ client }, names) {
    const account = await client.getAccount();
    return account.ok ? succeed([toItem(account.value, names)]) : account;
  },
  async readAgain({ client }, names) {
    const account = await client.getAccount();
    return account.ok ? succeed(toItem(account.value, names)) : account;
  },
  create: async () => await Promise.reject(new Error("an account is not created by a file")),
  update: async ({ session }, step) => {
    const body = checked(UpdateAccountInput, pick(step.after, changedFields(step)));
    return body.ok ? await session.client.updateAccount({ body: body.value }) : body;
  },
  remove: async () => await Promise.reject(new Error("an account is not deleted by a file")),
};

function toItem(account: Account, names: Names) {
  const fields = documentFields(UpdateAccountInput, account, names);
  return itemOf("account", { key: KEY, id: account.id, fields });
}
