import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { DeploymentId } from "#contract/ids.ts";
import { MAX_PAGE_SIZE } from "#contract/page-size.ts";
import { type Result, missing, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** The help text of an argument that names a deployment. */
export const DEPLOYMENT_HELP = "Version (12 or v12) or ID";

/** Finds a deployment by its ID or by its version in the project; the project's newest if `word` is null. */
export async function findDeployment(session: Session, word: string | null): Promise<Result<Deployment>> {
  const { client } = session;
  const id = DeploymentId.safeParse(word);
  if (id.success) return await client.getDeployment({ params: { deployment_id: id.data } });
  const version = word === null ? null : versionIn(word);
  if (word !== null && version === null)
    return stop("usage", `${word} is not a deployment. Pass a version such as 12 or v12, or an ID (dpl_…).`);

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
    // Versions decrease from page to page.
    const isPast = deployments.some((each) => version !== null && each.version < version);
    cursor = isPast ? null : next_cursor;
  } while (cursor !== null);
  if (version === null)
    return stop("no_deployment", "The project has no deployments yet. Start one with gantry deploy.");
  return missing(`The project has no deployment v${version}.`);
}

/**
 * Finds the project's only unended deployment for which `isMeant` is true. Refuses if there are several, so that the
 * command does not act on the wrong one.
 * @param what describes the deployment in messages, such as `in progress`
 */
export async function findOnly(
  session: Session,
  what: string,
  isMeant: (deployment: Deployment) => boolean = () => true,
): Promise<Result<Deployment>> {
  const project = await findProject(session);
  if (!project.ok) return project;
  const page = await session.client.listDeployments({
    query: { project_id: project.value.id, status: "building" },
  });
  if (!page.ok) return page;
  const [only, ...others] = page.value.deployments.filter(isMeant);
  if (only === undefined) return stop("no_deployment", `The project has no deployment ${what}.`);
  if (others.length === 0) return succeed(only);
  const versions = [only, ...others].map(({ version }) => `v${version}`);
  return stop("ambiguous_name", `Several deployments are ${what}: ${versions.join(", ")}. Pass one of them.`);
}

/** The number in `12` or `v12`; null if `word` is not a version. */
export function versionIn(word: string): number | null {
  const [, digits] = /^v?(\d{1,9})$/.exec(word) ?? [];
  return digits === undefined ? null : Number(digits);
}
