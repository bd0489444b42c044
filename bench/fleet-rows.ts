import type { System } from "../test/support/journey-system.ts";
import { type BenchServers, startServers } from "./bench-servers.ts";
import { median, type Row } from "./measure.ts";
import { createSiteProject, type SiteProject } from "./site-project.ts";
import { untilLive } from "./until-live.ts";

const ROUNDS = 15;
/** Rounds that are not counted, because they fill caches. */
const WARM_UP = 3;

const FEW = 3;
const MANY = 10;

/**
 * Of as many deployments to one server in a row. All servers prepare at the same time, but on this machine they
 * share its cores, so the work of all is done by the cores of one.
 */
const SUM_GOAL = 1;
/** Of a rollback on one server: one more request and answer, and the work of three on the cores of one. */
const ROLLBACK_GOAL = 3;

type Times = { readonly deploy: number[]; readonly rollback: number[] };

/** Measures deployments and rollbacks on several servers beside the same on one, in turns. */
export async function measureFleet(system: System, home: string): Promise<Row[]> {
  const servers = await startServers(system, home, MANY);
  try {
    const projects = {
      one: await projectOn(system, home, servers, { count: 1, order: "rolling" }),
      few: await projectOn(system, home, servers, { count: FEW, order: "rolling" }),
      fewAtOnce: await projectOn(system, home, servers, { count: FEW, order: "at_once" }),
      many: await projectOn(system, home, servers, { count: MANY, order: "rolling" }),
      manyAtOnce: await projectOn(system, home, servers, { count: MANY, order: "at_once" }),
    };
    const measured = Object.entries(projects).map(([name, project]) => ({
      name,
      project,
      times: { deploy: [], rollback: [] } as Times,
    }));
    for (let round = -WARM_UP; round < ROUNDS; round += 1)
      for (const { project, times } of measured) await measureRound(system, project, times, round);
    const of = (name: keyof typeof projects): Times => {
      const found = measured.find((one) => one.name === name);
      if (found === undefined) throw new Error("not measured");
      return found.times;
    };
    const one = median(of("one").deploy);
    const back = median(of("one").rollback);
    return [
      deployRow(`POST to live on ${FEW} servers, rolling`, median(of("few").deploy), one, FEW),
      deployRow(`POST to live on ${FEW} servers, at once`, median(of("fewAtOnce").deploy), one, FEW),
      deployRow(`POST to live on ${MANY} servers, rolling`, median(of("many").deploy), one, MANY),
      deployRow(`POST to live on ${MANY} servers, at once`, median(of("manyAtOnce").deploy), one, MANY),
      rollbackRow(`rollback on ${FEW} servers, rolling`, median(of("few").rollback), back),
      rollbackRow(`rollback on ${FEW} servers, at once`, median(of("fewAtOnce").rollback), back),
    ];
  } finally {
    await servers.close();
  }
}

async function projectOn(
  system: System,
  home: string,
  { ids }: BenchServers,
  { count, order }: { readonly count: number; readonly order: "rolling" | "at_once" },
): Promise<SiteProject> {
  const servers = ids.slice(0, count).map((id) => ({ id }));
  const several = count === 1 ? {} : { servers, rollout: { order } };
  return createSiteProject(system, home, `fleet-${count}-${order.replace("_", "-")}`, {
    server_id: ids[0],
    ...several,
  });
}

async function measureRound(
  system: System,
  project: SiteProject,
  { deploy, rollback }: Times,
  round: number,
): Promise<void> {
  await project.change(round);
  const deployed = await untilLive(system, project.start);
  const rolledBack = round === -WARM_UP ? 0 : await untilLive(system, project.rollBack);
  if (round < 0) return;
  deploy.push(deployed);
  rollback.push(rolledBack);
}

const ms = (value: number) => `${value.toFixed(1)} ms`;

function deployRow(what: string, measured: number, one: number, servers: number): Row {
  const ofSum = measured / (one * servers);
  return {
    what,
    measured: ms(measured),
    against: `${ms(one)}  on one server`,
    ratio: `${(measured / one).toFixed(2)}× of one, ${ofSum.toFixed(2)}× of ${servers} in a row`,
    goal: `≤ ${SUM_GOAL}× of ${servers} in a row`,
    isMet: ofSum <= SUM_GOAL,
  };
}

function rollbackRow(what: string, measured: number, one: number): Row {
  return {
    what,
    measured: ms(measured),
    against: `${ms(one)}  on one server`,
    ratio: `${(measured / one).toFixed(2)}× of one`,
    goal: `≤ ${ROLLBACK_GOAL}× of one`,
    isMet: measured / one <= ROLLBACK_GOAL,
  };
}
