import type { Member, MemberDetails } from "#contract/endpoints/members/schemas.ts";
import { membersApi, useMember } from "#dashboard/pages/members/member-resources.ts";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly member: Member;
  /** Whether it is the person who is signed in. */
  readonly isSelf: boolean;
  readonly onRemoved: () => unknown;
  readonly onClose: () => void;
};

/** Removes a person. It lists what they have created that continues to work. */
export function RemoveMember({ member, isSelf, onRemoved, onClose }: Props) {
  const details = useMember(member.id);
  return (
    <RemovalDialog
      title={`Remove ${member.name}`}
      words={{ button: "Remove", doing: "Removing" }}
      remove={() => membersApi.removeMember({ params: { member_id: member.id } })}
      onClose={onClose}
      onRemoved={onRemoved}
      isDisabled={details.value === null && details.problem === null}
    >
      {isSelf ? (
        <p>
          <strong>This is you.</strong> You are signed out and lose your access to this account.
        </p>
      ) : null}
      <p>
        Their passkeys, sessions and personal tokens stop working within 10 seconds. What they have started,
        such as a deployment, continues.
      </p>
      <Show of={details} what="what they have created">
        {({ created }) => <Created created={created} />}
      </Show>
    </RemovalDialog>
  );
}

function Created({ created: { tokens, trust_rules: rules } }: Pick<MemberDetails, "created">) {
  if (tokens.length === 0 && rules.length === 0)
    return <p>They have created no service tokens and no trust rules.</p>;
  return (
    <>
      <p>These continue to work, and they may know the secrets. Revoke or replace what you do not trust:</p>
      <ul class="bullets">
        {tokens.map(({ id, name }) => (
          <li key={id}>
            <a href={pathTo({ page: "tokens" })}>Token {name}</a>
          </li>
        ))}
        {rules.map(({ id, name }) => (
          <li key={id}>
            <a href={pathTo({ page: "trust_rules" })}>Trust rule {name}</a>
          </li>
        ))}
      </ul>
    </>
  );
}
