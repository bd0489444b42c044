import * as z from "zod/mini";

import {
  type AllProcessSettings,
  MAX_INSTANCES,
  type ProcessDefinitions,
  ProcessName,
  StopSignal,
  WEB,
} from "#contract/endpoints/processes/schemas.ts";
import { Limits } from "#contract/endpoints/projects/settings.ts";
import { wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { ShellCommand } from "#contract/shell-command.ts";

/** How long an instance may take to end, if nothing else is set. */
export const DEFAULT_STOP_SECONDS = 10;

/** A process with all its fields. `instances`: how many there should be, also if it is stopped and has none. */
export const ResolvedProcess = z.object({
  name: ProcessName,
  command: ShellCommand,
  instances: wholeBetween(0, MAX_INSTANCES),
  stopped: z.boolean(),
  port: z.boolean(),
  limits: Limits,
  stop_signal: StopSignal,
  stop_seconds: wholeFrom(0),
  overlap: z.boolean(),
});
export type ResolvedProcess = z.infer<typeof ResolvedProcess>;

/**
 * The processes of a project: from the repository and from its settings, `web` first, then by name. Each field of the
 * settings wins over the repository's. Settings of a process that has no command are ignored: such a process was
 * removed from the repository.
 */
export function resolveProcesses(
  repository: ProcessDefinitions,
  settings: AllProcessSettings,
): readonly ResolvedProcess[] {
  // Maps, because a process may be named `constructor`, which every object seems to have.
  const defined = new Map(Object.entries(repository));
  const own = new Map(Object.entries(settings));
  const names = [...new Set([...defined.keys(), ...own.keys()])];
  return names.toSorted(compareNames).flatMap((name): ResolvedProcess[] => {
    const fields = { ...defined.get(name), ...own.get(name) };
    const { command, memory_mb, cpu_weight, tasks } = fields;
    if (command === undefined) return [];
    return [
      {
        name,
        command,
        instances: fields.instances ?? 1,
        stopped: fields.stopped ?? false,
        port: fields.port ?? name === WEB,
        limits: {
          ...(memory_mb === undefined ? {} : { memory_mb }),
          ...(cpu_weight === undefined ? {} : { cpu_weight }),
          ...(tasks === undefined ? {} : { tasks }),
        },
        stop_signal: fields.stop_signal ?? "SIGTERM",
        stop_seconds: fields.stop_seconds ?? DEFAULT_STOP_SECONDS,
        overlap: fields.overlap ?? true,
      },
    ];
  });
}

/** How many instances of the process should run now. */
export function wantedInstances({ instances, stopped }: ResolvedProcess): number {
  return stopped ? 0 : instances;
}

/** `web` first, then by name. */
export function compareNames(one: string, other: string): number {
  if (one === other) return 0;
  if (one === WEB || other === WEB) return one === WEB ? -1 : 1;
  return one < other ? -1 : 1;
}
