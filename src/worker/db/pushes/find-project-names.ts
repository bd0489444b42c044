import { eq, sql } from "drizzle-orm";

import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";

/** The names of the projects of a repository. */
export async function findProjectNames(rows: AccountRows, repositoryKey: string): Promise<string[]> {
  const found = await rows.select({ name: projects.name }, projects, {
    where: eq(projects.repositoryKey, repositoryKey),
    orderBy: [sql`${projects.name}`],
  });
  return found.map(({ name }) => name);
}
