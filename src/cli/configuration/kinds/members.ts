import * as z from "zod/mini";

import type { Item } from "#cli/configuration/item.ts";
import { isList, type Fields, isFields } from "#cli/configuration/json.ts";
import {
  checked,
  documentFields,
  itemOrNull,
  itemOf,
  type Kind,
  readTable,
  requestOf,
  sorted,
} from "#cli/configuration/kind.ts";
import type { Names } from "#cli/configuration/names.ts";
import { changedFields } from "#cli/configuration/plan.ts";
import { readAll } from "#client/read-all.ts";
import { GrantInput, type Member, UpdateMemberInput } from "#contract/endpoints/members/schemas.ts";
import { MemberId } from "#contract/ids.ts";
import { pick } from "#contract/lib/pick.ts";
import { succeed } from "#contract/lib/result.ts";

const MAX_GRANTS = 20;

/** What a file says of a member. The name and the address are the member's own. */
export const MemberTable = z.strictObject({
  is_owner: z._default(z.boolean(), false),
  grants: z._default(z.array(GrantInput).check(z.maxLength(MAX_GRANTS)), []),
});

/** The grants of members, by their address, or by their name if they have none and nobody else has it. */
export const memberKind: Kind = {
  name: "members",
  schema: MemberTable,
  parse(key, table, reading) {
    const read = readTable(table, reading, { schema: MemberTable });
    if (read === null) return null;
    const fields = fieldsOf(MemberTable.parse(read.request), reading.names);
    return {
      name: key,
      identity: identityOf(key, key.includes("@")),
      fields,
      sources: read.sources,
      masked: [],
    };
  },
  async read({ client }, names) {
    const members = await readAll(client.listMembers, (page) => page.members);
    return members.ok ? succeed(named(members.value.map((member) => toItem(member, names)))) : members;
  },
  readAgain: async ({ client }, names, { id }) =>
    await itemOrNull(client.getMember({ params: { member_id: MemberId.parse(id) } }), (member) =>
      toItem(member, names),
    ),
  create: async () => await Promise.reject(new Error("a member is not created by a file")),
  async update({ session, names }, step) {
    const fields = pick(step.after, changedFields(step));
    const request = requestOf(MemberTable, fields, names);
    const body = checked(UpdateMemberInput, request);
    if (!body.ok) return body;
    const params = { member_id: MemberId.parse(step.current?.id) };
    return await session.client.updateMember({ params, body: body.value });
  },
  remove: async () => await Promise.reject(new Error("a member is not removed by a file")),
};

/** Members choose their names: a name that looks like an address is not the address. */
function identityOf(key: string, isAddress: boolean): string {
  return `${isAddress ? "address" : "name"} ${key.toLowerCase()}`;
}

/** Gives members with the same name identities of their own: the name in a file could mean either of them. */
function named(items: readonly Item[]): readonly Item[] {
  const isShared = ({ id, identity }: Item) =>
    items.some((other) => other.id !== id && other.identity === identity);
  return items.map((item) => (isShared(item) ? { ...item, identity: `${item.identity} ${item.id}` } : item));
}

function toItem(member: Member, names: Names): Item {
  const { id, email, name } = member;
  const key = email ?? name;
  // The same case as in the file, and the name as the file has it.
  return itemOf("members", {
    key,
    id,
    name: key,
    identity: identityOf(key, email !== null),
    fields: fieldsOf(member, names),
  });
}

function fieldsOf(member: object, names: Names): Fields {
  const fields = documentFields(MemberTable, member, names);
  const { grants } = fields;
  if (!isList(grants)) return fields;
  return { ...fields, grants: grants.map((grant) => (isFields(grant) ? tidyGrant(grant) : grant)) };
}

function tidyGrant({ projects = null, extra_scopes = [], ...grant }: Fields): Fields {
  return {
    ...grant,
    projects: projects === null ? null : sorted(projects),
    extra_scopes: sorted(extra_scopes),
  };
}
