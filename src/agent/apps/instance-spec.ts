import { unitLimits } from "#agent/policy/unit-limits.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import type { InstanceSpec } from "#agent/apps/supervisor.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { appCommand, containerVariables } from "#agent/apps/command-in-release.ts";
import { portOf } from "#build/choose-image.ts";
import { enginePlace } from "#agent/containers/engine-script.ts";
import { instanceContainer } from "#agent/containers/run-script.ts";
import type { Release } from "#agent/workspace/releases.ts";
import type { Environment } from "#build/commands/environment.ts";
import type { Command } from "#build/process/command.ts";
import { INSTANCE_MARKER } from "#build/process/process-table.ts";
import { initialProcess, supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import type { ResolvedProcess } from "#contract/processes/resolve-processes.ts";

/** Where instances listen: only this machine, and so the ingress, reaches them. */
export const INSTANCE_HOST = "127.0.0.1";

/** The port of an instance in the network of its container, for its note. */
export function insideOf(
  { image }: Release,
  { network, container_port: named }: ResolvedProcess,
  port: number | null,
): Pick<InstanceNote, "inside"> {
  return image === undefined || port === null || network === "host"
    ? {}
    : { inside: portOf(named, image.ports).port };
}

/** Which instance it is, and where it gets its requests. */
type NamedInstance = Pick<InstanceNote, "name" | "port" | "inside">;

/**
 * What the supervisor needs to start an instance.
 * @param variables the project's variables, with open secrets
 */
export async function instanceSpec(
  context: AgentContext,
  folder: ProjectFolder,
  release: Release,
  process: ResolvedProcess,
  instance: NamedInstance,
  variables: Environment,
): Promise<ResultOf<InstanceSpec, { readonly reason: string }>> {
  const command = await instanceCommand(context, folder, release, process, instance, variables);
  if (!command.ok) return command;
  const supervised = supervisedOf(process);
  // The image knows the signal of its app, unless somebody has chosen another one.
  const signal =
    supervised.stop_signal === initialProcess.stop_signal ? release.image?.stop_signal : undefined;
  return succeed({
    project: folder.id,
    name: instance.name,
    release: release.version,
    command: command.value,
    limits: unitLimits("app", process.limits, context.policy),
    ...supervised,
    ...(signal === undefined ? {} : { stop_signal: signal }),
  });
}

async function instanceCommand(
  ...[context, folder, release, process, { name, port, inside }, variables]: Parameters<typeof instanceSpec>
): Promise<ResultOf<Command, { readonly reason: string }>> {
  const own = { ...addressVariables(port, inside), GANTRY_PROCESS: process.name };
  const { image } = release;
  if (image !== undefined)
    return instanceContainer(enginePlace(context, folder), {
      ...{ image, name, line: process.command, network: process.network },
      sharedPaths: image.shared_paths,
      at: port === null || inside === undefined ? null : { port, inside },
      variables: { ...containerVariables(release, variables), ...own },
    });
  // Not the run's marker: its processes are ended with it.
  const marker = `app-${folder.id}-${name}`;
  const found = await appCommand(context, folder, release, process.command, marker, variables);
  if (!found.ok) return found;
  return succeed({ ...found.value, env: { ...found.value.env, ...own, [INSTANCE_MARKER]: name } });
}

/** Where an instance listens. In a network of its own, requests come from outside of it. */
function addressVariables(port: number | null, inside: number | undefined): Environment {
  if (port === null) return {};
  return inside === undefined
    ? { PORT: String(port), HOST: INSTANCE_HOST }
    : { PORT: String(inside), HOST: "0.0.0.0" };
}
