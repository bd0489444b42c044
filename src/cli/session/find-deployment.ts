import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId } from "#contract/ids.ts";
import { MAX_PAGE_SIZE } from "#contract/paging.ts";
import { type Result, missing, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-project.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** How a word names a deployment, for help. */
export const DEPLOYMENT_HELP = "Its version (12 or v12), or its id";

/** A deployment by its id, or by its version in the project; the project's newest where `word` is null. */
export async function findDeployment(session: Session, word: string | null): Promise<Result<Deployment>> {
  const { client } = session;
  const id = DeploymentId.safeParse(word);
  if (id.success) return await client.getDeployment({ params: { deployment_id: id.data } });
  const version = word === null ? null : versionIn(word);
  if (word !== null && version === null)
    return stop(
      "usage",
      `${word} names no deployment: that is a version such as 12 or v12, or an id (dpl_…).`,
    );

  const project = await findProject(session);
  if (!project.ok) return project;
  const query = { project_id: project.value.id, limit: version === null ? 1 : MAX_PAGE_SIZE };
  let cursor: string | null = null;
  do {
    const page = await client.listDeployments({ query: cursor === null ? query : { ...query, cursor } });
    if (!page.ok) return page;
    const { deployments, next_cursor } = page.value;
    const deployment = deployments.find((each) => version === null || each.version === version);
    if (deployment !== undefined) return succeed(deployment);
    // Versions fall from page to page.
    const isPast = deployments.some((each) => version !== null && each.version < version);
    cursor = isPast ? null : next_cursor;
  } while (cursor !== null);
  if (version === null) return stop("no_deployment", "The project has no deployment yet: gantry deploy.");
  return missing(`The project has no deployment v${version}.`);
}

/** `12` and `v12`; null for what is no version. */
export function versionIn(word: string): number | null {
  const [, digits] = /^v?(\d{1,9})$/.exec(word) ?? [];
  return digits === undefined ? null : Number(digits);
}
