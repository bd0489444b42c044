import { setTimeout as pause } from "node:timers/promises";

import type { ProjectId } from "#contract/ids.ts";

import { type Api, valueOf } from "../shared/api.ts";
import { prepareHelloSite, repositoryOf } from "../start/repository.ts";
import type { TemporaryServer } from "./temporary-server.ts";

/** How long a canceled deployment may take until its project can be deleted. */
const BUSY_TIMEOUT_MS = 30_000;

/** Creates the project of the checks, with the example site in a repository of this machine. */
export async function createCheckedProject(
  api: Api,
  server: TemporaryServer,
  name: string,
): Promise<ProjectId> {
  const repository = repositoryOf(await prepareHelloSite(server.folder));
  const body = { name, server_id: server.id, repository, branch: "main", health_check: { path: "/" } };
  return valueOf(await api.createProject({ body }), "Creating the project").id;
}

/** Cancels what still runs, and deletes the project. Safe to repeat. @throws Problem if the project cannot be deleted */
export async function removeCheckedProject(api: Api, id: ProjectId): Promise<void> {
  const params = { project_id: id };
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    const deleted = await api.deleteProject({ params });
    if (deleted.ok || deleted.problem.code === "not_found") return;
    if (deleted.problem.code !== "project_busy" || performance.now() > deadline)
      valueOf(deleted, "Deleting the project");
    const running = await api.listProjectDeployments({ params, query: { status: "building" } });
    if (running.ok)
      for (const deployment of running.value.deployments)
        await api.cancelDeployment({ params: { deployment_id: deployment.id } });
    await pause(500);
  }
}
