import { type SQL, sql } from "drizzle-orm";

import { projects } from "#worker/db/schema.ts";

/**
 * The condition that the server of a project in `projects` has read the project's repository. Before that, naming a
 * repository gives no right to know of its pushes: anybody who may change a project can name any repository.
 */
export function hasReadRepository(): SQL {
  return sql`(${projects.readRepository} is not null and ${projects.readRepository} = ${projects.repositoryKey})`;
}
