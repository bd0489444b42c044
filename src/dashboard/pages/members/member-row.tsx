import { useState } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import type { Member } from "#contract/endpoints/members/schemas.ts";
import { EditMember } from "#dashboard/pages/members/edit-member.tsx";
import { MemberRoles } from "#dashboard/pages/members/member-roles.tsx";
import { RemoveMember } from "#dashboard/pages/members/remove-member.tsx";
import { Menu } from "#dashboard/shared/menu.tsx";
import { TableRow } from "#dashboard/shared/table.tsx";
import { Ago, AgoByHour } from "#dashboard/shared/times.tsx";

/** The columns of the table of members. */
export const memberColumns = {
  name: { title: "Name" },
  role: { title: "Role" },
  joined: { title: "Joined" },
  used: { title: "Last active" },
  actions: { title: "Actions", isActions: true },
} as const;

type Props = {
  readonly member: Member;
  /** The person who is signed in; null: none. */
  readonly self: Account["member"];
  readonly mayChange: boolean;
  readonly reload: () => Promise<void>;
};

/** A person of the account: what they may do, and the actions on them. */
export function MemberRow({ member, self, mayChange, reload }: Props) {
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const close = () => setOpen(null);
  // Only owners change owners.
  const canChange = mayChange && (!member.is_owner || self?.is_owner === true);
  const cells = {
    name: (
      <>
        {member.name} {member.id === self?.id ? <span class="tag">you</span> : null}
        {member.email === null ? null : <p class="quiet">{member.email}</p>}
      </>
    ),
    role: <MemberRoles member={member} />,
    joined: <Ago time={member.created_at} />,
    used: member.last_used_at === null ? "never" : <AgoByHour time={member.last_used_at} />,
    actions: canChange ? (
      <>
        <Menu
          label={`Actions for ${member.name}`}
          items={[
            { label: "Edit", onSelect: () => setOpen("edit") },
            { label: "Remove", onSelect: () => setOpen("remove"), isDanger: true },
          ]}
        />
        {open === "edit" ? (
          <EditMember
            member={member}
            canMakeOwner={self?.is_owner === true}
            onClose={close}
            onSaved={() => {
              close();
              void reload();
            }}
          />
        ) : null}
        {open === "remove" ? (
          <RemoveMember member={member} isSelf={member.id === self?.id} onClose={close} onRemoved={reload} />
        ) : null}
      </>
    ) : null,
  };
  return <TableRow columns={memberColumns} cells={cells} />;
}
