import { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { Hook, HookWithSecret, PushRows } from "#contract/endpoints/hooks/schemas.ts";
import * as z from "zod";

import { repositoriesAreRead } from "./deliveries.ts";
import { TestProject } from "./project.ts";

export const repository = "https://git.test/shop.git";

/** A project whose server has read the repository, with a hook. */
export async function hooked(settings: Record<string, unknown> = {}, forge = "gitea") {
  const project = await TestProject.create({ repository, ...settings });
  await repositoriesAreRead();
  const created = await project.post("/v1/hooks", { forge, repository });
  return { project, hook: HookWithSecret.parse(await created.json()) };
}

/** The rows of a ledger of pushes. */
export async function pushesOf(project: TestProject, path: string) {
  return PushRows.parse(await (await project.get(path)).json()).pushes;
}

export const ofHook = (project: TestProject, hook: Pick<Hook, "id">) =>
  pushesOf(project, `/v1/hooks/${hook.id}/pushes`);

export async function deploymentsOf(project: TestProject) {
  const response = await project.get(`/v1/deployments?project_id=${project.id}`);
  return z.object({ deployments: z.array(Deployment) }).parse(await response.json()).deployments;
}
