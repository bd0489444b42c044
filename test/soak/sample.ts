import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { Installation } from "../support/faults/installation.ts";
import { descendantsOf, memoryOf } from "../support/faults/processes.ts";
import { liveWorkerHeap } from "../support/worker-heap.ts";
import { databasesIn, logObjectKeys, query } from "../support/faults/stored.ts";

/** Measurements that must not grow with the number of deployments. Memory is in megabytes. */
export type Sample = {
  readonly deployments: number;
  /** The Worker's heap after a garbage collection, with its lanes and links. */
  readonly heap: number;
  /** The whole workerd process, which also serves the database, the logs and the assets. */
  readonly workerd: number;
  readonly server: number;
  /** The largest of the agents. */
  readonly agent: number;
  readonly workerFiles: number;
  readonly agentFiles: number;
  /** The rows of the largest lane. */
  readonly laneRows: number;
  readonly linkRows: number;
  readonly hostFiles: number;
  readonly processes: number;
  /** R2 objects beyond one log for each deployment. */
  readonly objectsTooMany: number;
};

export async function takeSample(
  installation: Installation,
  inspectorPort: number,
  deployments: number,
): Promise<Sample> {
  const { home, hosts, worker } = installation;
  const workerd = installation.workerdPid();
  const agents = hosts.map((host) => host.agentPid());
  const most = (values: readonly number[]) => Math.max(0, ...values);
  return {
    deployments,
    heap: Math.round((await liveWorkerHeap(inspectorPort)) * 10) / 10,
    workerd: memoryOf(workerd).now,
    server: memoryOf(worker.pid()).now,
    agent: most(agents.map((pid) => memoryOf(pid).now)),
    workerFiles: openFilesOf(workerd),
    agentFiles: most(agents.map(openFilesOf)),
    laneRows: most(databasesIn(join(home, "state/v3/do/gantry-ProjectLane")).map(rowsOf)),
    linkRows: most(databasesIn(join(home, "state/v3/do/gantry-AgentLink")).map(rowsOf)),
    hostFiles: most(hosts.map((host) => filesBeside(join(host.home, "projects")))),
    processes: descendantsOf(process.pid).length,
    objectsTooMany: logObjectKeys(home).length - deployments,
  };
}

function openFilesOf(pid: number | null): number {
  if (pid === null) return 0;
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function rowsOf(database: string): number {
  const tables = query(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
  return tables.reduce((sum, { name }) => {
    const [row] = query(database, `SELECT count(*) AS rows FROM "${String(name)}"`);
    return sum + Number(row?.["rows"] ?? 0);
  }, 0);
}

/** The number of files in a server's projects, without files in mirrors; a release counts as one file. */
function filesBeside(projects: string): number {
  return readdirSync(projects).reduce((sum, project) => {
    const root = join(projects, project);
    const own = readdirSync(root, { recursive: true, encoding: "utf8" });
    return sum + own.filter((path) => !/^releases\/\d+\/|^mirror\.git\//.test(path)).length;
  }, 0);
}
