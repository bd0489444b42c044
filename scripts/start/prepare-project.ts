import { basename } from "node:path";

import type * as z from "zod";

import type { ServerId } from "#contract/ids.ts";
import type { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { type Api, valueOf } from "../shared/api.ts";
import { Problem } from "../shared/problem.ts";
import type { StartedProject, StartMemo } from "./memo.ts";
import type { StartOptions } from "./options.ts";
import { defaultBranch, prepareHelloSite, repositoryOf } from "./repository.ts";

/** How many names to try if a name is taken: shop, shop-2, shop-3 and so on. */
const MAX_NAMES = 50;

export type PreparedProject = {
  readonly project: Project;
  readonly isNew: boolean;
  /** The folder of the example; null if another repository is deployed. */
  readonly helloSite: string | null;
  readonly memo: StartMemo;
};

/**
 * Finds or creates the project of this start. Without --repo and --branch it is the project of the last start. With them
 * it is the project of an earlier start with the same repository and branch, or a new one.
 */
export async function prepareProject(
  api: Api,
  serverId: ServerId,
  memo: StartMemo,
  options: StartOptions,
): Promise<PreparedProject> {
  const helloSite = await prepareHelloSite(options.home);
  const [last] = memo.projects;
  const repository =
    options.repo === null ? (last?.repository ?? repositoryOf(helloSite)) : repositoryOf(options.repo);
  const isSameAsLast = options.repo === null && options.branch === null && last !== undefined;
  const askedBranch = isSameAsLast ? last.asked_branch : options.branch;
  const isHello = repository === repositoryOf(helloSite);
  const isSame = (other: StartedProject) =>
    other.repository === repository && other.asked_branch === askedBranch;

  const known = memo.projects.find(isSame);
  let project = known === undefined ? null : await readProject(api, known);
  const isNew = project === null;
  project ??= await createProject(api, {
    name: isHello ? "hello-site" : nameOf(repository),
    server_id: serverId,
    repository,
    branch: askedBranch ?? (isHello ? "main" : await defaultBranch(repository)),
    ...(isHello ? { health_check: { path: "/" } } : {}),
  });
  const started = { project_id: project.id, repository, asked_branch: askedBranch };
  return {
    project,
    isNew,
    helloSite: isHello ? helloSite : null,
    memo: { ...memo, server_id: serverId, projects: [started, ...memo.projects.filter((p) => !isSame(p))] },
  };
}

async function readProject(api: Api, known: StartedProject): Promise<Project | null> {
  const result = await api.getProject({ params: { project_id: known.project_id } });
  if (!result.ok && result.problem.code === "not_found") return null;
  return valueOf(result, "Reading the project");
}

async function createProject(api: Api, settings: z.input<typeof CreateProjectInput>): Promise<Project> {
  for (let count = 1; count <= MAX_NAMES; count += 1) {
    const name = count === 1 ? settings.name : `${settings.name}-${count}`;
    const result = await api.createProject({ body: { ...settings, name } });
    if (result.ok) return result.value;
    if (result.problem.code !== "name_taken" && result.problem.code !== "domain_taken")
      valueOf(result, "Creating the project");
  }
  throw new Problem(`Every name from ${settings.name} to ${settings.name}-${MAX_NAMES} is taken.`);
}

/** The last part of a path or URL as a project name: `shop` for https://git.example/me/shop.git */
function nameOf(repository: string): string {
  const last = basename(repository.replace(/[/\\]+$/, "").replace(/:/g, "/")).replace(/\.git$/, "");
  const clean = last
    .replace(/%20|[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return clean === "" ? "site" : clean;
}
