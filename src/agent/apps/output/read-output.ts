import { readNotes } from "#agent/apps/instance-notes.ts";
import { type FollowedLog, openFollowedLog, type TimedLine } from "#agent/apps/output/followed-log.ts";
import { lastLines, type OutputFilter } from "#agent/apps/output/last-lines.ts";
import { maskForOutput } from "#agent/apps/output/mask-output.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { instanceLog, listInstanceLogs } from "#agent/workspace/instance-logs.ts";
import { readOutputTimes } from "#agent/workspace/output-times.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { cutLine } from "#build/process/cut-line.ts";
import { isWanted, type AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import { InstanceName } from "#contract/endpoints/processes/schemas.ts";
import type { Mask } from "#contract/mask.ts";

const MAX_READ_BYTES = 1024 * 1024;

/**
 * Reads the last lines that a project's instances printed. The log of an ended instance is read only if the filter
 * names it, or asks for ended instances.
 */
export async function readOutput(
  context: AgentContext,
  folder: ProjectFolder,
  filter: OutputFilter,
): Promise<AppOutputLine[]> {
  const notes = readNotes(folder).map(({ name, release }) => ({ name, release }));
  const all = await chosenInstances(folder, filter, notes);
  const lines: AppOutputLine[] = [];
  for (const { name, release } of all.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!isWanted(filter, { instance: name, message: "" })) continue;
    const mask = await maskForOutput(context, folder, release);
    const log = mask.ok ? openInstanceLog(context, folder, name, mask.value) : null;
    if (!mask.ok) lines.push({ instance: name, message: notShown(mask.message) });
    if (log === null) continue;
    const printed = [...log.read(MAX_READ_BYTES), ...log.end()];
    lines.push(...printed.slice(-filter.lines).map((line) => outputLine(name, line)));
  }
  return lastLines(lines, filter);
}

type Instance = { readonly name: AppOutputLine["instance"]; readonly release: number | null };

async function chosenInstances(
  folder: ProjectFolder,
  { instance, ended }: OutputFilter,
  noted: readonly Instance[],
): Promise<readonly Instance[]> {
  const isNoted = (name: string) => noted.some((one) => one.name === name);
  if (ended === true) {
    const names = (await listInstanceLogs(folder)).filter((name) => !isNoted(name));
    return names.flatMap((text) => {
      const name = InstanceName.safeParse(text);
      return name.success ? [{ name: name.data, release: null }] : [];
    });
  }
  const name = InstanceName.safeParse(instance);
  return instance === undefined || isNoted(instance) || !name.success
    ? noted
    : [{ name: name.data, release: null }];
}

/** Opens the log of an instance, with the times of its lines. @returns `null` when there is none */
export function openInstanceLog(
  { clock }: AgentContext,
  folder: ProjectFolder,
  name: string,
  mask: Mask,
): FollowedLog | null {
  const times = readOutputTimes(folder, name);
  return openFollowedLog(instanceLog(folder, name), { mask, times, now: () => clock.now() });
}

export function outputLine(instance: AppOutputLine["instance"], { message, time }: TimedLine): AppOutputLine {
  return { instance, message, ...(time === null ? {} : { time: new Date(time).toISOString() }) };
}

/** The line instead of the output of an instance whose secrets could not be masked. */
export function notShown(reason: string): string {
  return cutLine(`[gantry] The output of this instance is not shown: ${reason}`);
}
