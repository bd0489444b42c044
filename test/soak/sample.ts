import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { Installation } from "../support/faults/installation.ts";
import { descendantsOf, memoryOf } from "../support/faults/processes.ts";
import { liveWorkerHeap } from "../support/worker-heap.ts";
import { databasesIn, logObjectKeys, query } from "../support/faults/stored.ts";

/** What must not grow with the number of deployments. Memory in megabytes. */
export type Sample = {
  readonly deployments: number;
  /** The Worker's heap without garbage, which its lanes and links live in too. */
  readonly heap: number;
  /** The whole process around it, which is also the database, the logs' store and the assets. */
  readonly workerd: number;
  readonly server: number;
  /** The agent that has the most. */
  readonly agent: number;
  readonly workerFiles: number;
  readonly agentFiles: number;
  /** Rows of the lane that has the most, and files of the server that has the most, without what is in releases. */
  readonly laneRows: number;
  readonly linkRows: number;
  readonly hostFiles: number;
  readonly processes: number;
  /** Logs are there to be read, so there is one for each deployment; this is what there is besides. */
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

/** Every file of a server's projects, but those inside a release, of which only the release counts. */
function filesBeside(projects: string): number {
  return readdirSync(projects).reduce((sum, project) => {
    const root = join(projects, project);
    const own = readdirSync(root, { recursive: true, encoding: "utf8" });
    return sum + own.filter((path) => !/^releases\/\d+\/|^mirror\.git\//.test(path)).length;
  }, 0);
}
