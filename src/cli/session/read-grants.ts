import type { GrantInput } from "#contract/endpoints/members/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import { ExtraScope, Role } from "#contract/roles.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { findProjects } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

/** The option with what a person may do. */
export const grantOption = {
  kind: "list",
  value: "GRANT",
  help: `Role: ${Role.options.join(", ")}; with +SCOPE and :PROJECT, as in deployer+commands:run:shop,blog`,
} as const;

/** What the help of the commands with `grantOption` says about it. */
export const grantDetails = [
  `A grant is a role: viewer sees projects with their plain variables, deployments and logs; deployer also deploys, rolls back and scales; admin does everything, and of all projects also manages members. ${ExtraScope.options.map((scope) => `+${scope}`).join(" and ")} add what viewers and deployers cannot do. It is for all projects, unless a colon and the names or IDs of projects follow. --grant can be repeated: grants add up.`,
];

/** The grants of a repeated --grant. Refuses --project, which would look as if it limited them. */
export async function readGrants(session: Session, texts: readonly string[]): Promise<Result<GrantInput[]>> {
  if (session.global.project !== null)
    return stop(
      "usage",
      `--project does not limit a grant. Pass the project with the role: --grant deployer:${session.global.project}.`,
    );
  const grants: GrantInput[] = [];
  for (const text of texts) {
    const grant = await readGrant(session, text);
    if (!grant.ok) return grant;
    grants.push(grant.value);
  }
  return succeed(grants);
}

async function readGrant(session: Session, text: string): Promise<Result<GrantInput>> {
  const name = /^[^+:]*/.exec(text)?.[0] ?? "";
  if (name === "owner")
    return stop(
      "usage",
      `owner is not a role that can be granted here. An owner makes another one in the dashboard: ${dashboardPage(session.url, "/members")}`,
    );
  const role = Role.safeParse(name);
  if (!role.success)
    return stop("usage", `--grant ${text}: ${name} is not a role. Use one of ${Role.options.join(", ")}.`);
  const extra: ExtraScope[] = [];
  let rest = text.slice(name.length);
  while (rest.startsWith("+")) {
    // The names of scopes have a colon too.
    const scope = ExtraScope.options.find((one) => new RegExp(`^\\+${one}(?:[+:]|$)`).test(rest));
    if (scope === undefined)
      return stop(
        "usage",
        `--grant ${text}: after +, only ${ExtraScope.options.join(" and ")} can be added to a role.`,
      );
    extra.push(scope);
    rest = rest.slice(1 + scope.length);
  }
  if (rest === "") return succeed({ role: role.data, project_ids: null, extra_scopes: extra });
  const names = rest.slice(1).split(",");
  if (names.includes(""))
    return stop("usage", `--grant ${text}: after the last colon, name projects with commas between them.`);
  const projects = await findProjects(session, names);
  return projects.ok
    ? succeed({ role: role.data, project_ids: projects.value, extra_scopes: extra })
    : projects;
}
