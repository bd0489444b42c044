import { namesBuild, unneededBuilds, withoutStoredBuild } from "#domain/lane/stored-builds.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/**
 * Removes builds from R2 that no deployment needs, and records it. If the object dies meanwhile, it is done again.
 */
export async function removeBuilds({ env, storage, store }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { projectId } = owner;
  for (const deployment of unneededBuilds(store.load())) {
    if (deployment.build === undefined) continue;
    const { sha256, parts } = deployment.build.artifact;
    const others = withoutStoredBuild(store.load(), deployment);
    // A client may have started two deployments with the same build.
    if (!namesBuild(others, sha256)) await new ArtifactStore(env.LOGS).delete({ projectId, sha256 }, parts);
    storage.transactionSync(() => store.save(withoutStoredBuild(store.load(), deployment), owner));
  }
}
