import { unitLimits } from "#agent/policy/unit-limits.ts";
import { projectUser } from "#agent/isolation/project-user.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import type { InstanceSpec } from "#agent/apps/supervisor.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { type Environment, projectEnvironment } from "#build/commands/environment.ts";
import { shellCommand } from "#build/commands/shell.ts";
import { INSTANCE_MARKER } from "#build/process/process-table.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import type { ResolvedProcess } from "#contract/processes/resolve-processes.ts";

/** Where instances listen: only this machine, and so the ingress, reaches them. */
export const INSTANCE_HOST = "127.0.0.1";

/**
 * What the supervisor needs to start an instance. It runs in the release's own path, never in `current`, so that its files
 * stay the same after a switch.
 * @param variables the project's variables, with open secrets
 */
export async function instanceSpec(
  context: AgentContext,
  folder: ProjectFolder,
  release: Release,
  process: ResolvedProcess,
  { name, port }: Pick<InstanceNote, "name" | "port">,
  variables: Environment,
): Promise<ResultOf<InstanceSpec, { readonly reason: string }>> {
  const path = releasePath(folder, release.version);
  const root = await folderInside(path, release.root_directory);
  if (root.kind !== "inside")
    return { ok: false, reason: `the root directory \`${release.root_directory}\` is not in the release` };
  const environment = projectEnvironment(
    context.environment,
    // Not the run's: its processes are ended with it.
    `app-${folder.id}-${name}`,
    projectUser(context, folder),
    variables,
    release.tool_folders,
  );
  const command = shellCommand(process.command, root.path, environment, {
    release: path,
    projectName: release.project_name,
    version: release.version,
    commitSha: release.commit_sha,
    branch: release.branch,
  });
  // An app is no build: some frameworks behave as in a test when they find this.
  const { CI: _, ...shared } = command.env;
  const ci = variables["CI"];
  const env = {
    ...shared,
    ...(ci === undefined ? {} : { CI: ci }),
    ...(port === null ? {} : { PORT: String(port), HOST: INSTANCE_HOST }),
    GANTRY_PROCESS: process.name,
    [INSTANCE_MARKER]: name,
  };
  return {
    ok: true,
    value: {
      project: folder.id,
      name,
      release: release.version,
      command: { ...command, env },
      limits: unitLimits("app", process.limits, context.policy),
      stopSignal: process.stop_signal,
      stopSeconds: process.stop_seconds,
    },
  };
}
