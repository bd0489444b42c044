import type { AgentContext } from "#agent/context/context.ts";
import { hasSharedKey, listKeyOwners } from "#agent/git/ssh/deploy-keys.ts";
import { deployKeyOf } from "#agent/git/repository-access.ts";
import { type DeployKeyReport, MAX_REPORTED_PROJECTS } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * The public deploy keys of the projects that have one. A damaged key is left out: the deployment that needs it fails
 * with the reason.
 *
 * After a change of the policy between a key per project and one key for all, the control plane still shows the earlier
 * keys. So every project gets its key here, before somebody adds the wrong one to a repository.
 * @param projectIds the projects whose files are on this server
 */
export async function reportDeployKeys(
  context: Pick<AgentContext, "home" | "environment" | "policy">,
  projectIds: readonly ProjectId[],
): Promise<DeployKeyReport[]> {
  const { home, policy } = context;
  const wasShared = policy.deploy_keys === "server" || (await hasSharedKey(home));
  const owners = [...new Set([...(await listKeyOwners(home)), ...(wasShared ? projectIds : [])])];
  const keys = owners.slice(0, MAX_REPORTED_PROJECTS).map(async (id) => {
    const key = await deployKeyOf(context, { id, name: id }).catch(() => null);
    return key === null ? [] : [{ project_id: id, public_key: key.publicKey }];
  });
  return (await Promise.all(keys)).flat();
}
