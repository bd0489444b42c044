import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { processesOf } from "../test/support/journey-processes.ts";
import { createRepository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";
import { median, type Row } from "./measure.ts";
import { cpuTimeOf } from "./process-cpu.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 5;
const COUNTS = [1, 3, 10] as const;
/** Until the replaced instances have ended: they drain for at least 2 s, and the agent looks each second. */
const SETTLED_MS = 5_000;
/** Of the agent and the supervisor, for each instance that is replaced, beside a deployment without processes. */
const CPU_GOAL_MS = 200;

const IDLE_APPS = 20;
const IDLE_MS = 60_000;
/** For each app: a thousandth of a core. */
const IDLE_GOAL_MS = 60;

const app = (round: number) => `require("node:http")
  .createServer((_, response) => response.end("round ${round}"))
  .listen(process.env.PORT, "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
`;

/** In milliseconds. `agent` and `git`: the agent and its children. `apps`: the instances that ended meanwhile. */
type Cost = {
  live: number;
  start: number;
  switch: number;
  agent: number;
  git: number;
  supervisor: number;
  apps: number;
};

/**
 * Measures what the switch of an app's instances costs on the server, against the same deployment without processes, and
 * what an idle server with 20 apps costs, against the same server without them.
 */
export async function measureInstances(system: System, home: string): Promise<Row[]> {
  const floor = await costOf(system, home, 0);
  const rows: Row[] = [];
  for (const count of COUNTS) rows.push(switchRow(count, await costOf(system, home, count), floor));
  return [...rows, await measureIdle(system, home)];
}

/** The medians of several deployments of an app with so many instances; 0: a site without processes. */
async function costOf(system: System, home: string, instances: number): Promise<Cost> {
  const name = `bench-instances-${instances}`;
  const repository = await createRepository(join(home, name));
  if (instances > 0)
    await repository.commit({
      "gantry.json": JSON.stringify({ processes: { web: { command: "exec node server.js", instances } } }),
    });
  const project = await system.api.createProject({
    name,
    server_id: system.local.server_id,
    repository: repository.path,
    drain_seconds: 1,
    ...(instances === 0 ? {} : { health_check: { path: "/", interval_seconds: 0.1 } }),
  });
  const costs: Cost[] = [];
  // The first round is not counted: nothing is replaced in it.
  for (let round = 0; round <= ROUNDS; round += 1) {
    await repository.commit(instances === 0 ? { "index.html": `${round}` } : { "server.js": app(round) });
    const before = await cpuTimes(system);
    const live = await untilLive(system, () => system.api.start(project.id));
    await pause(SETTLED_MS);
    const after = await cpuTimes(system);
    if (round === 0) continue;
    const [deployment] = await system.api.listDeployments(project.id);
    const stage = (...names: readonly string[]) =>
      (deployment?.stages ?? []).reduce(
        (sum, one) => sum + (names.includes(one.stage) ? one.duration * 1000 : 0),
        0,
      );
    costs.push({
      live,
      start: stage("start"),
      switch: stage("activate", "verify"),
      agent: after.agent.own - before.agent.own,
      git: after.agent.children - before.agent.children,
      supervisor: after.supervisor.own - before.supervisor.own,
      apps: after.supervisor.children - before.supervisor.children,
    });
  }
  const of = (key: keyof Cost) => median(costs.map((cost) => cost[key]));
  return {
    ...{ live: of("live"), start: of("start"), switch: of("switch") },
    ...{ agent: of("agent"), git: of("git"), supervisor: of("supervisor"), apps: of("apps") },
  };
}

function switchRow(count: number, cost: Cost, floor: Cost): Row {
  const each = (cost.agent + cost.git + cost.supervisor - floor.agent - floor.git - floor.supervisor) / count;
  return {
    what: `deployment of an app with ${count} ${count === 1 ? "instance" : "instances"}: CPU time of agent and supervisor`,
    measured: shown(cost),
    against: `${shown(floor)}  without processes`,
    ratio: `+${each.toFixed(0)} ms for each instance`,
    goal: `≤ ${CPU_GOAL_MS} ms`,
    isMet: each <= CPU_GOAL_MS,
  };
}

const ms = (value: number) => `${value.toFixed(0)} ms`;

function shown(cost: Cost): string {
  return `${ms(cost.agent)} agent, ${ms(cost.git)} its children, ${ms(cost.supervisor)} supervisor (${ms(cost.apps)} the ended instances); live after ${ms(cost.live)}, of it ${ms(cost.start)} start and ${ms(cost.switch)} from the permit to the end`;
}

async function measureIdle(system: System, home: string): Promise<Row> {
  const without = await idleCpu(system);
  const repository = await createRepository(join(home, "bench-idle"));
  await repository.commit({ Procfile: "web: exec node server.js\n", "server.js": app(0) });
  for (let at = 0; at < IDLE_APPS; at += 1) {
    const settings = { server_id: system.local.server_id, repository: repository.path };
    const project = await system.api.createProject({ ...settings, name: `bench-idle-${at}` });
    await untilLive(system, () => system.api.start(project.id));
  }
  await pause(SETTLED_MS);
  const measured = await idleCpu(system);
  return {
    what: `idle server with ${IDLE_APPS} apps more: CPU time of agent and supervisor in a minute`,
    measured: ms(measured),
    against: `${ms(without)}  without them`,
    ratio: `+${((measured - without) / IDLE_APPS).toFixed(1)} ms for each app`,
    goal: `≤ ${IDLE_GOAL_MS} ms`,
    isMet: (measured - without) / IDLE_APPS <= IDLE_GOAL_MS,
  };
}

/** The CPU time of agent and supervisor, with their children, in a minute without requests. */
async function idleCpu(system: System): Promise<number> {
  const before = await cpuTimes(system);
  await pause(IDLE_MS);
  const after = await cpuTimes(system);
  // Instances that end are not theirs.
  const of = ({ agent, supervisor }: typeof before) => agent.own + agent.children + supervisor.own;
  return of(after) - of(before);
}

async function cpuTimes({ home, local }: System) {
  const found = (await processesOf(home)).find((text) => /\bsupervise --home\b/.test(text));
  if (found === undefined) throw new Error("there is no supervisor");
  return {
    agent: await cpuTimeOf(local.agent_pid),
    supervisor: await cpuTimeOf(Number.parseInt(found, 10)),
  };
}
