import { and, eq, type SQL, sql } from "drizzle-orm";

import type { Alias } from "#contract/endpoints/projects/settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { storedSetting } from "#worker/db/projects/settings-column.ts";
import { domains } from "#worker/db/project-tables.ts";
import { projects } from "#worker/db/schema.ts";

/** The host names that a request gives a project. An omitted one keeps its value. */
type GivenDomains = {
  readonly domain?: string | undefined;
  readonly aliases?: readonly Alias[] | undefined;
};

/**
 * The statements that reserve a project's host names in the installation, and release the names that they replace. Run
 * them in one batch with the change of the project's row, and before it. The batch fails if another project has one of
 * the names (`isDomainTaken`).
 * @param onlyIf whether the row will be changed
 */
export function domainWrites(
  rows: AccountRows,
  projectId: ProjectId,
  { domain, aliases }: GivenDomains,
  onlyIf: SQL,
): Write[] {
  if (domain === undefined && aliases === undefined) return [];
  const ofProject = eq(projects.id, projectId);
  const now = rows.first<string>(projects.domain, projects, ofProject, sql`${projects.id}`);
  const aliasesNow = rows.first<string>(storedSetting("aliases"), projects, ofProject, sql`${projects.id}`);
  const isReplaced = and(
    eq(domains.projectId, projectId),
    domain === undefined ? sql`${domains.id} is not ${now}` : undefined,
    aliases === undefined
      ? sql`not exists (select 1 from json_each(${aliasesNow}) as kept where kept.value ->> 'domain' = ${domains.id})`
      : undefined,
  );
  const names = [...(domain === undefined ? [] : [domain]), ...(aliases ?? []).map((alias) => alias.domain)];
  return [
    rows.delete(domains, sql`${isReplaced} and ${onlyIf}`),
    ...rows.insertEach(
      domains,
      names.map((id) => ({ id, projectId })),
      onlyIf,
    ),
  ];
}

/** @param violated the columns of a violated constraint (`uniqueViolation`) */
export function isDomainTaken(violated: string | null): boolean {
  return violated === "domains.id" || violated === "projects.domain";
}
