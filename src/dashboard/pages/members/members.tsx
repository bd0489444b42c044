import { useState } from "preact/hooks";

import { memberEndpoints } from "#contract/endpoints/members/endpoints.ts";
import { ALL, useAccount, useAllowed } from "#dashboard/data/resources.ts";
import { useMayCreateOwner } from "#dashboard/data/use-may-create-owner.ts";
import { Invitations } from "#dashboard/pages/members/invitations.tsx";
import { InviteDialog } from "#dashboard/pages/members/invite-dialog.tsx";
import { useMembers } from "#dashboard/pages/members/member-resources.ts";
import { memberColumns, MemberRow } from "#dashboard/pages/members/member-row.tsx";
import { OwnerCard } from "#dashboard/pages/owner/owner-card.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { MemberSections } from "#dashboard/shared/member-sections.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Table } from "#dashboard/shared/table.tsx";
import { signInCommand } from "#dashboard/text/sign-in-command.ts";

/** The people of the account and the open invitations, and a dialog that invites a person. */
export function Members() {
  const members = useMembers(ALL);
  const { value: account } = useAccount(ALL);
  const mayChange = useAllowed(memberEndpoints.updateMember);
  const [isInviting, setIsInviting] = useState(false);
  const [query, setQuery] = useState("");
  const hasOwner = account?.has_owner === true;
  return (
    <Page
      title="Members"
      actions={
        mayChange && hasOwner ? (
          <Button variant="primary" onClick={() => setIsInviting(true)}>
            Invite a person
          </Button>
        ) : null
      }
    >
      <MemberSections page="members" />
      <p class="quiet">
        Each person signs in with their own passkey, or by single sign-on, and does what their roles allow.
        The audit log names them.
      </p>
      <Show of={members} what="the members">
        {(rows) =>
          rows.length === 0 ? (
            <NoMembers />
          ) : (
            <>
              <Find what="member" count={rows.length} query={query} onInput={setQuery} />
              <Table label="Members" columns={memberColumns}>
                {rows
                  .filter(({ name, email }) => matches(`${name} ${email ?? ""}`, query))
                  .map((member) => (
                    <MemberRow
                      key={member.id}
                      member={member}
                      self={account?.member ?? null}
                      mayChange={mayChange}
                      reload={members.reload}
                    />
                  ))}
              </Table>
              {rows.length === 1 ? (
                <p class="quiet">
                  Invite others: viewers see deployments and logs, deployers also deploy, and admins do
                  everything. A second owner can help when the first one has lost their passkeys.
                </p>
              ) : null}
              <Invitations mayChange={mayChange} />
            </>
          )
        }
      </Show>
      {isInviting ? <InviteDialog onClose={() => setIsInviting(false)} /> : null}
    </Page>
  );
}

/** What to do in an account without people. */
function NoMembers() {
  const { value: account } = useAccount(ALL);
  const mayCreateOwner = useMayCreateOwner(account);
  if (account !== null && mayCreateOwner) return <OwnerCard account={account} />;
  return (
    <EmptyState title="No members yet">
      The first person becomes the owner, and invites the others. Sign in with a link to create the owner:{" "}
      <code>{signInCommand(location)}</code> prints one.
    </EmptyState>
  );
}
