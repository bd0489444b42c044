import { readlink } from "node:fs/promises";
import { join, sep } from "node:path";

import { livingPids, RUN_MARKER, variableOf } from "#build/process/process-table.ts";

import type { Host } from "./host.ts";

/** A process of an instance of an app. */
export type InstanceProcess = {
  readonly pid: number;
  readonly projectId: string;
  /** The name of its instance, such as `web-7-0`. */
  readonly name: string;
  /** The link target of the release that it runs in, such as `releases/7`. */
  readonly release: string;
};

const MARKER = /^app-(proj_[^-]+)-(.+)$/;

/** All processes of instances that run now in the home of one server. */
export async function instancesOn({ home }: Pick<Host, "home">): Promise<InstanceProcess[]> {
  const found: InstanceProcess[] = [];
  for (const pid of livingPids()) {
    const [, projectId, name] = MARKER.exec(variableOf(pid, RUN_MARKER).value ?? "") ?? [];
    if (projectId === undefined || name === undefined) continue;
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    const project = join(home, "projects", projectId) + sep;
    // It has ended, or runs on another server of this machine.
    if (!folder.startsWith(project)) continue;
    // The folder of a release that was deleted meanwhile has a suffix.
    found.push({ pid, projectId, name, release: folder.slice(project.length) });
  }
  return found;
}
