import { join } from "node:path";

import * as z from "zod/mini";

import { bootId, isSameProcess, type ProcessId, variableOf } from "#build/process/process-table.ts";
import { SUPERVISED_MARKER } from "#agent/supervisor/members.ts";
import { InstanceExitBody } from "#agent/supervisor/protocol.ts";
import { wholeFrom } from "#contract/bounds.ts";
import { supervisedShape } from "#contract/endpoints/processes/process-settings.ts";
import { InstanceName } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { storedAs } from "#contract/stored.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** What the next supervisor needs to take over an instance. Its command is not stored, because it contains secrets. */
export const InstanceRecord = z.object({
  project: ProjectId,
  name: InstanceName,
  /** Its first process; null while it waits for its restart. */
  leader: z.nullable(z.object({ pid: z.int().check(z.minimum(2)), start_time: z.nullable(z.string()) })),
  started_at: z.nullable(wholeFrom(0)),
  restarts: wholeFrom(0),
  failures: wholeFrom(0),
  last_exit: z.nullable(InstanceExitBody),
  ...supervisedShape,
  is_stopping: z.boolean(),
});
export type InstanceRecord = z.infer<typeof InstanceRecord>;

const State = z.object({ boot_id: z.nullable(z.string()), instances: z.array(InstanceRecord) });
const storedState = storedAs(State);

/** What the supervisor prints, a file in the home. */
export const SUPERVISOR_LOG = "supervisor.log";

const pathOf = (home: string): string => join(home, "supervisor.json");

/** The instances of a supervisor that has ended, running or not. */
export async function readInstances(home: string): Promise<z.infer<typeof State>> {
  return (await readJsonFile(pathOf(home), storedState)) ?? { boot_id: null, instances: [] };
}

/**
 * Whether a noted process still runs. After a reboot its pid and start time may belong to another process by chance, and
 * some programs replace the text that contains the marker.
 */
export function isStillRunning(leader: ProcessId, marker: string, notedBootId: string | null): boolean {
  if (!isSameProcess(leader)) return false;
  return notedBootId === bootId() || variableOf(leader.pid, SUPERVISED_MARKER).value === marker;
}

export type StateFile = {
  /** Writes the present records. Never throws: on a full disk, the instances run on. */
  save(): Promise<void>;
};

const RETRY_MS = 5_000;

/** Writes happen in sequence, and calls during a write share the next write. */
export function createStateFile(
  home: string,
  records: () => readonly InstanceRecord[],
  log: (message: string) => void,
): StateFile {
  let writing: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let hasFailed = false;

  async function write(): Promise<void> {
    const state: z.infer<typeof State> = { boot_id: bootId(), instances: [...records()] };
    try {
      await writeAtomic(pathOf(home), JSON.stringify(state), { mode: 0o600 });
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log(`the list of instances cannot be written: ${messageOf(error)}`);
      hasFailed = true;
      setTimeout(() => void save(), RETRY_MS).unref();
    }
  }

  function save(): Promise<void> {
    if (writing !== null) return (next ??= writing.then(() => ((next = null), save())));
    writing = write().finally(() => (writing = null));
    return writing;
  }

  return { save };
}
