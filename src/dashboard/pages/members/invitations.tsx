import { useState } from "preact/hooks";

import type { Invitation } from "#contract/endpoints/members/schemas.ts";
import { ALL } from "#dashboard/data/resources.ts";
import { MemberRoles } from "#dashboard/pages/members/member-roles.tsx";
import { membersApi, useInvitations } from "#dashboard/pages/members/member-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Table, TableRow } from "#dashboard/shared/table.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

const columns = {
  whom: { title: "For" },
  role: { title: "Role" },
  by: { title: "Invited by" },
  expires: { title: "Expires" },
  actions: { title: "Actions", isActions: true },
} as const;

/** The invitations that nobody has accepted yet. Renders nothing if there is none. */
export function Invitations({ mayChange }: { readonly mayChange: boolean }) {
  const invitations = useInvitations(ALL);
  return (
    <Show of={invitations} what="the invitations">
      {(rows) =>
        rows.length === 0 ? null : (
          <>
            <h2>Open invitations</h2>
            <Table label="Open invitations" columns={columns}>
              {rows.map((invitation) => (
                <InvitationRow
                  key={invitation.id}
                  invitation={invitation}
                  mayChange={mayChange}
                  reload={invitations.reload}
                />
              ))}
            </Table>
          </>
        )
      }
    </Show>
  );
}

type RowProps = {
  readonly invitation: Invitation;
  readonly mayChange: boolean;
  readonly reload: () => Promise<void>;
};

function InvitationRow({ invitation, mayChange, reload }: RowProps) {
  const { id, email, grants, invited_by: inviter } = invitation;
  const [isOpen, setIsOpen] = useState(false);
  const whom = email ?? "a person with the link";
  const cells = {
    whom: email ?? "Anyone with the link",
    role: <MemberRoles member={{ is_owner: false, grants }} />,
    by: inviter === null ? "a service token" : inviter.name,
    expires: <Ago time={invitation.expires_at} />,
    actions: mayChange ? (
      <>
        <Button
          variant="subtle"
          label={`Withdraw the invitation for ${whom}`}
          onClick={() => setIsOpen(true)}
        >
          Withdraw
        </Button>
        {isOpen ? (
          <RemovalDialog
            title="Withdraw the invitation"
            words={{ button: "Withdraw", doing: "Withdrawing the invitation" }}
            remove={() => membersApi.deleteInvitation({ params: { invitation_id: id } })}
            onClose={() => setIsOpen(false)}
            onRemoved={reload}
          >
            <p>The link for {whom} no longer works.</p>
          </RemovalDialog>
        ) : null}
      </>
    ) : null,
  };
  return <TableRow columns={columns} cells={cells} />;
}
