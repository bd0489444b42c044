import { maskRepository } from "#contract/git-names.ts";
import { readAll } from "#client/read-all.ts";
import type { Hook } from "#contract/endpoints/hooks/schemas.ts";
import { isSameRepository } from "#contract/forge.ts";
import { succeed } from "#contract/lib/result.ts";
import { missing, type Result, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

/** Finds a hook by its ID or its repository. @param word null: the hook of the project's repository */
export async function findHook(session: Session, word: string | null): Promise<Result<Hook>> {
  const repository = word ?? (await repositoryOf(session));
  if (typeof repository !== "string" && !repository.ok) return repository;
  const wanted = typeof repository === "string" ? repository : repository.value;
  const hooks = await readAll(session.client.listHooks, (page) => page.hooks);
  if (!hooks.ok) return hooks;
  const found = hooks.value.find((hook) => hook.id === wanted || isSameRepository(hook.repository, wanted));
  return found === undefined
    ? missing(
        `There is no hook for ${maskRepository(wanted)}. Run gantry hooks connect or gantry hooks create.`,
      )
    : succeed(found);
}

/** The address of the project's repository. */
export async function repositoryOf(session: Session): Promise<Result<string>> {
  const found = await findProject(session);
  if (!found.ok) {
    return found.problem.code === "no_project"
      ? stop("no_project", "Name a repository, or a project with --project.")
      : found;
  }
  const project = await session.client.getProject({ params: { project_id: found.value.id } });
  return project.ok ? succeed(project.value.repository) : project;
}
