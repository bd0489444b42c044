import * as z from "zod/mini";

import { documentFields, itemOf, type Kind, readTable } from "#cli/configuration/kind.ts";
import { UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import type { Names } from "#cli/configuration/names.ts";
import { pick } from "#contract/lib/pick.ts";

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
  async read({ client }, known) {
    const account = await client.getAccount();
    return account.ok ? succeed([toItem(account.value, known)]) : account;
  },
  async readAgain({ client }, known) {
    const account = await client.getAccount();
    return account.ok ? succeed(toItem(account.value, known)) : account;
  },
  create: async () => await Promise.reject(new Error("an account is not created by a file")),
  update: async ({ session }, { changes, after }) =>
    await session.client.updateAccount({
      body: z.parse(
        UpdateAccountInput,
        pick(
          after,
          changes.map(({ path: [field = ""] }) => field),
        ),
      ),
    }),
  remove: async () => await Promise.reject(new Error("an account is not deleted by a file")),
};

function toItem(account: Account, known: Names) {
  const fields = documentFields(UpdateAccountInput, account, known);
  return itemOf("account", { key: KEY, id: account.id, fields });
}
