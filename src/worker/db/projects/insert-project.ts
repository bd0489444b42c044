import { eq, sql } from "drizzle-orm";

import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { domainWrites, isDomainTaken } from "#worker/db/projects/domain-writes.ts";
import { projects, servers } from "#worker/db/schema.ts";
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
 * Adds a project if the account has its server, and if its name in the account, and its domain and its aliases in the
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
  const hasServer = rows.count(servers, eq(servers.id, project.serverId));
  const onlyIf = sql`${hasServer} = 1 and ${rows.count(projects)} < ${MAX_PER_ACCOUNT}`;
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
    const [inserted] = await rows.runTogether([insert, ...recorded, ...writes, ...names]);
    if (inserted === 1) return "inserted";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "projects.id") return "added_before";
    if (violated === "projects.account_id, projects.name") return "name_taken";
    if (isDomainTaken(violated)) return "domain_taken";
    throw error;
  }
  const [server] = await rows.select({ id: servers.id }, servers, {
    where: eq(servers.id, project.serverId),
  });
  return server === undefined ? "no_such_server" : "too_many";
}
