import * as z from "zod/mini";

import { initialProcess, ProcessFields } from "#contract/endpoints/processes/process-settings.ts";
import {
  type AllProcessSettings,
  type ProcessDefinitions,
  ProcessName,
  WEB,
} from "#contract/endpoints/processes/schemas.ts";
import { Limits } from "#contract/endpoints/projects/settings.ts";
import { withInitial } from "#contract/lib/field-table.ts";
import { pick } from "#contract/lib/pick.ts";

const limitFields = ["memory_mb", "cpu_weight", "tasks"] as const;
const { memory_mb: _memory, cpu_weight: _weight, tasks: _tasks, ...all } = ProcessFields.shape;
const { container_port: containerPort, ...others } = all;

/** A process with all its fields. `instances`: how many there should be, also if it is stopped and has none. */
export const ResolvedProcess = z.object({
  name: ProcessName,
  stopped: z._default(z.boolean(), false),
  limits: Limits,
  container_port: z.optional(containerPort),
  ...withInitial(others, initialProcess),
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
    if (fields.command === undefined) return [];
    const limits = pick(fields, limitFields);
    return [ResolvedProcess.parse({ port: name === WEB, ...fields, name, limits })];
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
