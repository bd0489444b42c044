import type { Variables } from "#contract/endpoints/variables/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Result } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";

type Found = { readonly projectId: ProjectId; readonly variables: Variables };

/** Finds the project that the command is about, and reads its variables. */
export async function findVariables(session: Session): Promise<Result<Found>> {
  const project = await findProject(session);
  if (!project.ok) return project;
  const { id: projectId } = project.value;
  const variables = await session.client.getVariables({ params: { project_id: projectId } });
  return variables.ok ? succeed({ projectId, variables: variables.value }) : variables;
}
