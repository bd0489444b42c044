import { type Beginning, createInstance, type Instance } from "#agent/supervisor/instance.ts";
import { isListening } from "#agent/supervisor/is-listening.ts";
import { killMembers } from "#agent/supervisor/members.ts";
import { readProcessTable, treesOf, usageOf } from "#agent/supervisor/process-tree.ts";
import {
  type InstanceCommands,
  type InstanceBody,
  instancePath,
  type InstanceView,
} from "#agent/supervisor/protocol.ts";
import { hashOfHome } from "#agent/supervisor/socket-path.ts";
import { createStateFile, isStillRunning, readInstances } from "#agent/supervisor/state-file.ts";
import { bootId } from "#build/process/process-table.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The instances that a supervisor keeps running. All functions are safe to repeat. */
export type Instances = {
  /**
   * Takes over the instances that an earlier supervisor left running, and ends the remaining processes of ended
   * instances.
   */
  adopt(): Promise<void>;
  /** @returns false, without a start, once all instances are being ended */
  start(project: ProjectId, name: string, body: InstanceBody): Promise<boolean>;
  /** @returns whether none of its processes is left */
  stop(project: ProjectId, name: string): Promise<boolean>;
  list(project: ProjectId | null): readonly InstanceView[];
  isEmpty(): boolean;
  /** @returns null if there is no such instance */
  listensOn(project: ProjectId, name: string, port: number): Promise<boolean | null>;
  /** Notes all instances for the next supervisor. @returns their commands, which are not noted */
  leave(): Promise<InstanceCommands>;
  /** Stops all instances, and starts none from then on: nothing would end it. */
  end(graceMs: number): Promise<void>;
};

export function createInstances(home: string, log: (message: string) => void): Instances {
  const instances = new Map<string, Instance>();
  let isEnding = false;
  const state = createStateFile(home, () => [...instances.values()].map((each) => each.record()), log);
  // Instances of other homes on this machine may have the same names.
  const keyOf = (project: ProjectId, name: string): string => `${project}/${name}`;
  const markerOf = (key: string): string => `${hashOfHome(home)}/${key}`;

  function add(project: ProjectId, name: string, beginning: Beginning): Instance {
    const key = keyOf(project, name);
    const instance = createInstance(
      {
        project,
        name,
        marker: markerOf(key),
        logFile: instanceLog(projectFolder(home, project), name),
        onChange: () => void state.save(),
        log,
      },
      beginning,
    );
    instances.set(key, instance);
    void instance.finished.then(() => {
      instances.delete(key);
      return state.save();
    });
    return instance;
  }

  return {
    async adopt() {
      const { boot_id, instances: records } = await readInstances(home);
      for (const record of records) {
        const { project, name, leader } = record;
        const marker = markerOf(keyOf(project, name));
        if (leader === null || !isStillRunning(leader, marker, boot_id)) {
          await killMembers({ leader: boot_id === bootId() ? leader : null, marker });
          continue;
        }
        log(`${project} ${name} still runs as process ${leader.pid}`);
        const instance = add(project, name, { kind: "adopt", record: { ...record, leader } });
        if (record.is_stopping) void instance.stop();
      }
    },
    async start(project, name, body) {
      const key = keyOf(project, name);
      for (let old = instances.get(key); old?.isStopping() === true; old = instances.get(key))
        await old.finished;
      if (isEnding) return false;
      const known = instances.get(key);
      known?.give(body);
      await (known ?? add(project, name, { kind: "start", body })).launched;
      await state.save();
      return true;
    },
    async stop(project, name) {
      const key = keyOf(project, name);
      const isGone =
        (await instances.get(key)?.stop()) ?? (await killMembers({ leader: null, marker: markerOf(key) }));
      await state.save();
      return isGone;
    },
    list(project) {
      const chosen = [...instances.values()].filter((each) => project === null || each.project === project);
      if (chosen.length === 0) return [];
      const table = readProcessTable();
      const trees = treesOf(table, new Set(chosen.flatMap((each) => each.leader()?.pid ?? [])));
      return chosen.map((each) => {
        const pid = each.leader()?.pid;
        const { memoryBytes, cpuMs } =
          pid === undefined ? { memoryBytes: null, cpuMs: null } : usageOf(table, trees.get(pid) ?? []);
        return { ...each.view(), memory_bytes: memoryBytes, cpu_ms: cpuMs };
      });
    },
    isEmpty: () => instances.size === 0,
    async listensOn(project, name, port) {
      const instance = instances.get(keyOf(project, name));
      return instance === undefined ? null : isListening(instance, port);
    },
    async leave() {
      await state.save();
      const commands = [...instances.values()].flatMap((each) => {
        const body = each.body();
        return body === null ? [] : [{ path: instancePath(each.project, each.name), body }];
      });
      return { commands };
    },
    async end(graceMs) {
      isEnding = true;
      await Promise.all([...instances.values()].map((each) => each.stop(graceMs)));
      await state.save();
    },
  };
}
