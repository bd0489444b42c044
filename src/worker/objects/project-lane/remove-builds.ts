import {
  namesBuild,
  unneededBuilds,
  withLeavingBuild,
  withoutStoredBuild,
} from "#domain/lane/stored-builds.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

/**
 * Removes builds from R2 that no deployment needs. That the removal begins is recorded first, so that no order names the build
 * from then on. If the object dies meanwhile, it is done again.
 */
export async function removeBuilds({ env, storage, store, builds }: LaneContext): Promise<void> {
  const owner = store.owner();
  if (owner === null) return;
  const { projectId } = owner;
  for (;;) {
    // Read again after each removal: the lane may have changed in the meantime. A build that a start uses is removed later.
    const next = unneededBuilds(store.load()).find(
      ({ build }) => build !== undefined && !builds.isUsed(build.artifact.sha256),
    );
    if (next?.build === undefined) return;
    const { sha256, parts } = next.build.artifact;
    storage.transactionSync(() => store.save(withLeavingBuild(store.load(), next), owner));
    // A client may have started two deployments with the same build.
    if (!namesBuild(store.load(), sha256))
      await builds.remove(sha256, () => new ArtifactStore(env.LOGS).delete({ projectId, sha256 }, parts));
    storage.transactionSync(() => store.save(withoutStoredBuild(store.load(), next), owner));
  }
}
