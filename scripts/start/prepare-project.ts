import { basename } from "node:path";

import type * as z from "zod";

import type { Client } from "#client/client.ts";
import type { ServerId } from "#contract/ids.ts";
import type { CreateProjectInput, Project } from "#contract/endpoints/projects/schemas.ts";

import { valueOf } from "../shared/api.ts";
import { Problem } from "../shared/problem.ts";
import type { StartedProject, StartMemo } from "./memo.ts";
import type { StartOptions } from "./options.ts";
import { defaultBranch, prepareHelloSite, repositoryOf } from "./repository.ts";

/** Tries for a name that nobody has, as in shop, shop-2, shop-3. */
const MAX_NAMES = 50;

export type PreparedProject = {
  readonly project: Project;
  readonly isNew: boolean;
  /** The example's folder, when it is the example that is deployed. */
  readonly helloSite: string | null;
  readonly memo: StartMemo;
};

/**
 * The project that this start is about: the one of the last start where no flag says otherwise, one of an earlier
 * start for the same repository and branch, or a new one.
 */
export async function prepareProject(
  api: Client,
  serverId: ServerId,
  memo: StartMemo,
  options: StartOptions,
): Promise<PreparedProject> {
  const helloSite = await prepareHelloSite(options.home);
  const [last] = memo.projects;
  const repository =
    options.repo === null ? (last?.repository ?? repositoryOf(helloSite)) : repositoryOf(options.repo);
  const goesOn = options.repo === null && options.branch === null && last !== undefined;
  const askedBranch = goesOn ? last.asked_branch : options.branch;
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
    memo: { server_id: serverId, projects: [started, ...memo.projects.filter((p) => !isSame(p))] },
  };
}

async function readProject(api: Client, known: StartedProject): Promise<Project | null> {
  const answer = await api.getProject({ params: { project_id: known.project_id } });
  if (!answer.ok && answer.problem.code === "not_found") return null;
  return valueOf(answer, "Reading the project");
}

async function createProject(api: Client, settings: z.input<typeof CreateProjectInput>): Promise<Project> {
  for (let count = 1; count <= MAX_NAMES; count += 1) {
    const name = count === 1 ? settings.name : `${settings.name}-${count}`;
    const answer = await api.createProject({ body: { ...settings, name } });
    if (answer.ok) return answer.value;
    if (answer.problem.code !== "name_taken" && answer.problem.code !== "domain_taken")
      valueOf(answer, "Creating the project");
  }
  throw new Problem(`Every name from ${settings.name} to ${settings.name}-${MAX_NAMES} is taken.`);
}

/** A name out of the last part of a path or URL: `shop` of https://git.example/me/shop.git */
function nameOf(repository: string): string {
  const last = basename(repository.replace(/[/\\]+$/, "").replace(/:/g, "/")).replace(/\.git$/, "");
  const clean = last
    .replace(/%20|[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return clean === "" ? "site" : clean;
}
