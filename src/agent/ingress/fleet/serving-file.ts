import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { serverSlots } from "#agent/ingress/slots.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** Longer than a balancer takes to notice: two checks, half a second apart, and their answers. */
const NOTICE_MS = 2_000;

/** What balancers hear about the projects of this server. */
export type ServingFile = {
  /**
   * From now on balancers may send requests of these projects, and of no others.
   * @param projects null: the server has no balancers
   * @throws the file system's error
   */
  show(projects: readonly ProjectId[] | null): Promise<void>;
  /**
   * Has balancers send no more requests of a project, and waits until they have noticed, or returns at once if they do not send
   * any. It lasts until a call of `show` without the project. Never throws.
   */
  leave(project: ProjectId): Promise<void>;
};

export function createServingFile(slots: string): ServingFile {
  const leaving = new Set<ProjectId>();
  let all: readonly ProjectId[] = [];

  async function write(): Promise<void> {
    await mkdir(slots, { recursive: true });
    await writeAtomic(join(slots, serverSlots.serving), all.filter((id) => !leaving.has(id)).join("\n"));
  }

  return {
    async show(projects) {
      all = projects ?? [];
      for (const project of leaving) if (!all.includes(project)) leaving.delete(project);
      if (projects !== null) await write();
    },
    async leave(project) {
      if (!all.includes(project)) return;
      leaving.add(project);
      await write().catch(() => undefined);
      await pause(NOTICE_MS);
    },
  };
}
