import type { AgentContext } from "#agent/context/context.ts";
import { expireAssets } from "#agent/ingress/earlier-assets.ts";
import { limitInstanceLogs } from "#agent/workspace/instance-logs.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";
import { limitOutput } from "#agent/workspace/output-folder.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";

/**
 * Keeps the files with output of all projects small until the signal is aborted, because apps that activate commands
 * started may print forever. Also removes the files of earlier releases whose time is over.
 * @param beforeEmptied is called before the lines of an instance's log are removed
 */
export async function limitOutputFiles(
  { home, settings, clock, log }: AgentContext,
  beforeEmptied: (folder: ProjectFolder, name: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const { id, folder } of await listProjects(home)) {
      await limitOutput(folder, settings.maxOutputFileBytes);
      await limitInstanceLogs(folder, settings.maxInstanceLogBytes, (name) => beforeEmptied(folder, name));
      await expireAssets(folder, clock.now()).catch((error: unknown) =>
        log(`${id}: files of earlier releases could not be removed: ${messageOf(error)}`),
      );
    }
    await pause(settings.outputCheckMs, signal);
  }
}
