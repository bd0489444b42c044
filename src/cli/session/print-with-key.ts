import { isOverSsh } from "#contract/forge.ts";
import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { otherBuilder } from "#contract/endpoints/projects/other-builder.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { serverName } from "#cli/session/find-named.ts";
import type { Session } from "#cli/session/session.ts";
import { printDeployKey, printDeployKeys } from "#cli/views/deploy-key-facts.ts";
import { printProject, type ShownServers } from "#cli/views/project-facts.ts";

/**
 * Prints a project. If its repository is read over ssh, also the deploy key of each server and the steps to add it. If another
 * server builds for them, it alone needs the repository: then its key.
 */
export async function printWithKey(session: Session, project: Project): Promise<void> {
  const { output } = session;
  const { deploy_key: known, repository } = project;
  const builder = otherBuilder(project);
  // The server creates the key on the first request for it.
  const isNeeded = isOverSsh(repository) && (known === null || builder !== null);
  const asked = isNeeded ? await askForKey(session, project.id) : null;
  const deploy_key = builder === null ? (known ?? asked) : known;
  const names = await shownServers(session, project);
  printProject(output, { ...project, deploy_key }, names);
  if (builder !== null) {
    const name = names.builder ?? builder;
    if (asked !== null) printDeployKeys(output, [{ name, deploy_key: asked }], repository);
    return;
  }
  if (project.servers_state.length === 0) {
    if (deploy_key !== null) printDeployKey(output, deploy_key, repository);
    return;
  }
  const servers = project.servers_state.map((server) =>
    server.id === project.server_id ? { ...server, deploy_key } : server,
  );
  if (servers.some((server) => server.deploy_key !== null)) printDeployKeys(output, servers, repository);
}

/** The names of the servers that are shown of a project, as far as the token may read them. */
export async function shownServers(session: Session, project: Project): Promise<ShownServers> {
  const builder = otherBuilder(project);
  const [first, built] = await Promise.all([
    serverName(session, project.server_id),
    builder === null ? null : serverName(session, builder),
  ]);
  return { first, builder: built };
}

/** @returns null if the server cannot answer now; a note says why */
async function askForKey(
  { client, output }: Session,
  projectId: ProjectId,
): Promise<DeployKeySummary | null> {
  const key = await client.getDeployKey({ params: { project_id: projectId } });
  if (key.ok) return { public_key: key.value.public_key, fingerprint: key.value.fingerprint };
  output.note(`The deploy key is not known yet: ${key.problem.detail}`);
  return null;
}
