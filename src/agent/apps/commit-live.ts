import { commitDesired } from "#agent/apps/desired.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { forgetSiteBefore } from "#agent/ingress/site-file.ts";
import { commitPlace } from "#agent/workspace/live-place.ts";
import { commitReleaseVariables } from "#agent/secrets/release-variables.ts";
import { commitJobs } from "#agent/workspace/live-jobs.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** Makes true what a run has prepared, after its verdict. Needs no space on the disk. Never throws: see `isCommitted`. */
export async function commitLive(
  context: Pick<AgentContext, "apps" | "log">,
  folder: ProjectFolder,
  release: number,
): Promise<void> {
  const own = context.apps.of(folder.id);
  own.commit = async () => {
    await commitReleaseVariables(folder, release);
    await commitPlace(folder);
    await commitDesired(folder);
    await commitJobs(folder);
    await forgetSiteBefore(folder);
    own.commit = null;
  };
  await own
    .commit()
    .catch((error: unknown) =>
      context.log(`${folder.id}: what is live could not be recorded yet: ${messageOf(error)}`),
    );
}

/** Whether the files name the live release. Tries again if the disk has refused to record it. */
export async function isCommitted(
  { apps }: Pick<AgentContext, "apps">,
  folder: ProjectFolder,
): Promise<boolean> {
  const own = apps.of(folder.id);
  await own.commit?.().catch(() => undefined);
  return own.commit === null;
}
