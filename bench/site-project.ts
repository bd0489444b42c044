import { join } from "node:path";

import { createRepository, type Repository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";

/** How many files the site has. */
export const FILES = 200;

export type SiteProject = {
  readonly repository: Repository;
  /** Commits a change of one page. */
  readonly change: (round: number) => Promise<unknown>;
  /** Starts a deployment of the newest commit. */
  readonly start: () => Promise<{ readonly id: string }>;
  readonly rollBack: () => Promise<{ readonly id: string }>;
};

/** Creates a project that deploys a site of small files without a build. @param settings its servers, if not the system's own */
export async function createSiteProject(
  system: System,
  home: string,
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<SiteProject> {
  const repository = await createRepository(join(home, `${name}-site`));
  const files: Record<string, string> = { "index.html": "first" };
  for (let page = 1; page < FILES; page += 1) files[`page-${page}.html`] = `page ${page}`;
  await repository.commit(files);
  const project = await system.api.createProject({
    name,
    server_id: system.local.server_id,
    repository: repository.path,
    ...settings,
  });
  return {
    repository,
    change: (round) => repository.commit({ "index.html": `round ${round}` }),
    start: () => system.api.start(project.id),
    rollBack: () => system.api.rollBack(project.id),
  };
}
