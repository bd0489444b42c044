import type { Grant } from "#contract/endpoints/members/schemas.ts";
import type { ProjectRow } from "#contract/endpoints/projects/schemas.ts";
import { counted } from "#contract/lib/counted.ts";
import { textOf } from "#contract/growing.ts";
import type { ExtraScope, Role } from "#contract/roles.ts";
import { projectsText } from "#dashboard/text/permissions.ts";

export const roleLabels: Readonly<Record<Role, string>> = {
  viewer: "Viewer",
  deployer: "Deployer",
  admin: "Admin",
};

/** What each role is for, as the hint below its choice. */
export const roleHints: Readonly<Record<Role, string>> = {
  viewer: "Views projects with their plain variables, deployments, logs and servers.",
  deployer: "Also deploys, rolls back, scales and cancels.",
  admin: "Does everything. An admin of all projects also manages servers, tokens and members.",
};

export const extraLabels: Readonly<Record<ExtraScope, string>> = {
  "deployments:approve": "Approve deployments",
  "commands:run": "Run commands",
};

const extraWords: Readonly<Record<ExtraScope, string>> = {
  "deployments:approve": "approves deployments",
  "commands:run": "runs commands",
};

/** A grant in words, such as `Deployer of shop, approves deployments`. */
export function grantText(grant: Grant, projects: readonly ProjectRow[]): string {
  const { project_ids: ids } = grant;
  return wordsOf(grant, ids === null ? "all projects" : projectsText(ids, projects));
}

/** The same for a person who cannot read the projects yet, such as `Deployer of 2 projects`. */
export function roleOfGrant(grant: Grant): string {
  const { project_ids: ids } = grant;
  return wordsOf(grant, ids === null ? "all projects" : counted(ids.length, "project"));
}

function wordsOf({ role, extra_scopes: extras }: Grant, where: string): string {
  const more = extras.map((extra) => `, ${textOf(extraWords, extra)}`).join("");
  return `${textOf(roleLabels, role)} of ${where}${more}`;
}
