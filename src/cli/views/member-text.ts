import type { Grant, Invitation, Member } from "#contract/endpoints/members/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { printFacts } from "#cli/output/facts.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeByHour, timeText } from "#cli/output/times.ts";
import { projectNames } from "#cli/session/project-names.ts";
import type { Session } from "#cli/session/session.ts";

type NameOf = (id: ProjectId) => string;

/** The roles of a person, in the form that --grant takes. */
export function rolesText(grants: readonly Grant[], nameOf: NameOf): string {
  return grants
    .map(({ role, project_ids: ids, extra_scopes: extra }) => {
      const where = ids === null ? "" : `:${ids.map(nameOf).join(",")}`;
      return [role, ...extra].join("+") + where;
    })
    .join(" ");
}

/** How to show the projects of these grants. */
export async function namesIn(session: Session, grants: readonly Grant[]): Promise<NameOf> {
  return await projectNames(
    session,
    grants.flatMap(({ project_ids: ids }) => ids ?? []),
  );
}

/** Prints a person. */
export async function printMember(session: Session, member: Member): Promise<void> {
  const { output } = session;
  const nameOf = await namesIn(session, member.grants);
  output.json(member);
  printFacts(output, [
    ["name", printableName(member.name)],
    ["id", member.id],
    ["email", member.email === null ? null : printable(member.email)],
    ["role", member.is_owner ? "owner" : rolesText(member.grants, nameOf)],
    ["passkeys", String(member.passkeys)],
    ["last used", timeByHour(member.last_used_at, output)],
  ]);
}

/** The row of a person in a list. */
export function memberCells(member: Member, nameOf: NameOf, { output }: Session): string[] {
  return [
    printableName(member.name),
    member.email === null ? "–" : printable(member.email),
    member.is_owner ? "owner" : rolesText(member.grants, nameOf),
    timeByHour(member.last_used_at, output),
    output.style.dim(member.id),
  ];
}

/** The row of an open invitation in the list of people. */
export function invitationCells(invitation: Invitation, nameOf: NameOf, { output }: Session): string[] {
  return [
    "invited",
    invitation.email === null ? "–" : printable(invitation.email),
    rolesText(invitation.grants, nameOf),
    `expires ${timeText(invitation.expires_at, output)}`,
    output.style.dim(invitation.id),
  ];
}
