import { unitLimits } from "#agent/policy/unit-limits.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import type { InstanceSpec } from "#agent/apps/supervisor.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { appCommand } from "#agent/apps/command-in-release.ts";
import type { Release } from "#agent/workspace/releases.ts";
import type { Environment } from "#build/commands/environment.ts";
import { INSTANCE_MARKER } from "#build/process/process-table.ts";
import { supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import type { ResolvedProcess } from "#contract/processes/resolve-processes.ts";

/** Where instances listen: only this machine, and so the ingress, reaches them. */
export const INSTANCE_HOST = "127.0.0.1";

/**
 * What the supervisor needs to start an instance.
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
  // Not the run's marker: its processes are ended with it.
  const marker = `app-${folder.id}-${name}`;
  const found = await appCommand(context, folder, release, process.command, marker, variables);
  if (!found.ok) return found;
  const command = found.value;
  const env = {
    ...command.env,
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
      ...supervisedOf(process),
    },
  };
}
