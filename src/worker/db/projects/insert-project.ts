import { eq, sql } from "drizzle-orm";

import { projectServers } from "#contract/endpoints/projects/servers.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { domainWrites, isDomainTaken } from "#worker/db/projects/domain-writes.ts";
import { findServerIds, hasServers, serverWrites } from "#worker/db/projects/project-servers.ts";
import { projects } from "#worker/db/schema.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { type NewRevision, revisionWrites } from "#worker/db/variables/revision-writes.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";

/** `added_before`: a project with this id exists. */
type ProjectInsertion =
  | "inserted"
  | "added_before"
  | "name_taken"
  | "domain_taken"
  | "no_such_server"
  | "too_many";

/**
 * Adds a project if the account has its servers, and if its name in the account, and its domain and its aliases in the
 * installation are free.
 * @param variables its first variables; null: none
 * @param recorded the writes that record it
 */
export async function insertProject(
  rows: AccountRows,
  project: ProjectRecord,
  variables: NewRevision | null,
  recorded: readonly Write[],
): Promise<ProjectInsertion> {
  const { serverId, settings } = project;
  const placed = projectServers(serverId, settings.servers).map(({ id }) => id);
  const builders = settings.build_on === null ? [] : [settings.build_on];
  const ids = [...new Set([...placed, ...settings.entry.balancers, ...builders])];
  const onlyIf = sql`${hasServers(rows, ids)} and ${rows.count(projects)} < ${MAX_PER_ACCOUNT}`;
  try {
    const insert = rows.insert(projects, project, onlyIf);
    const writes = variables === null ? [] : revisionWrites(rows, variables);
    const isInserted = sql`${rows.count(projects, eq(projects.id, project.id))} = 1`;
    const names = domainWrites(
      rows,
      project.id,
      { domain: project.domain, aliases: project.settings.aliases },
      isInserted,
    );
    const others = settings.servers.length === 0 ? [] : serverWrites(rows, project.id, settings.servers);
    const [inserted] = await rows.runTogether([insert, ...recorded, ...writes, ...names, ...others]);
    if (inserted === 1) return "inserted";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "projects.id") return "added_before";
    if (violated === "projects.account_id, projects.name") return "name_taken";
    if (isDomainTaken(violated)) return "domain_taken";
    throw error;
  }
  return (await findServerIds(rows, ids)).length < ids.length ? "no_such_server" : "too_many";
}
