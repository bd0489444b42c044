import type { AgentContext } from "#agent/context/context.ts";
import { listKeyOwners, readDeployKey } from "#agent/ssh/deploy-keys.ts";
import { type DeployKeyReport, MAX_REPORTED_PROJECTS } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";

/**
 * The public keys that exist. A damaged one is left out: the deployment that needs it says so.
 * @param projectIds the projects on this server, which share a key if the policy says so
 */
export async function reportDeployKeys(
  { home, policy }: Pick<AgentContext, "home" | "policy">,
  projectIds: readonly ProjectId[],
): Promise<DeployKeyReport[]> {
  const isShared = policy.deploy_keys === "server";
  const owners = isShared ? projectIds : await listKeyOwners(home);
  const keys = owners.slice(0, MAX_REPORTED_PROJECTS).map(async (id) => {
    const key = await readDeployKey(home, isShared ? "server" : id).catch(() => null);
    return key === null ? [] : [{ project_id: id, public_key: key.publicKey }];
  });
  return (await Promise.all(keys)).flat();
}
