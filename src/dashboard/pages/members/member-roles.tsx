import type { Member } from "#contract/endpoints/members/schemas.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { grantText } from "#dashboard/pages/members/grant-texts.ts";

type Props = {
  readonly member: Pick<Member, "is_owner" | "grants">;
};

/** What a person may do: a line for each grant. */
export function MemberRoles({ member: { is_owner: isOwner, grants } }: Props) {
  const { value } = useProjects(ALL);
  if (isOwner) return <>Owner: may do everything</>;
  return (
    <ul class="grants">
      {grants.map((grant, at) => (
        <li key={at}>{grantText(grant, value?.projects ?? [])}</li>
      ))}
    </ul>
  );
}
