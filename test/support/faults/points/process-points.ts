import { request } from "node:http";

import { eventually } from "../eventually.ts";
import { purging, restarting, rollingBack } from "./doings.ts";
import { deployNext } from "./deploy-next.ts";
import { appAnswers, faults, restartAgent } from "./faults.ts";
import { at } from "./moments.ts";
import type { FaultPoint, Scene } from "./point.ts";

const app = { isApp: true } as const;
const supervisorDies = { ...app, fault: faults.supervisorDies } as const;
const agentDies = { ...app, fault: faults.agentDies, recover: restartAgent } as const;
const bothDie = { ...app, fault: faults.supervisorAndAgentDie, recover: restartAgent } as const;

/** A request that the live instance does not finish, so that it drains until its time is up. */
async function holdRequest({ installation, site }: Scene): Promise<void> {
  const { url } = await installation.api.getProject(site.projectId);
  const held = request(`${url}/hold`, { agent: false });
  held.on("error", () => undefined);
  let isHeld = false;
  held.once("response", (response) => {
    isHeld = true;
    response.on("error", () => undefined).resume();
  });
  held.end();
  await eventually("a request is held", () => isHeld);
}

/** The replaced instances drain from the result on, because a request holds one of them. */
const draining = { prepare: holdRequest, at: at.resultTaken, ends: ["live"] } as const;
const starting = { at: at.gate("start") } as const;
/** After the slots and before the verdict: the activate command runs. */
const switched = { at: at.gate("activate") } as const;

const neverListens = { start: "echo no database; exit 3" };

/** What keeps the instances of apps running dies at each step of a switch. */
export const processPoints: readonly FaultPoint[] = [
  { name: "the supervisor dies while new instances start", ...supervisorDies, ...starting, ends: ["live"] },
  { name: "the agent dies while new instances start", ...agentDies, ...starting, ends: ["failed"] },
  {
    name: "the supervisor and the agent die while new instances start",
    ...bothDie,
    ...starting,
    ends: ["failed"],
  },
  {
    name: "the supervisor and all instances die while new instances start",
    ...app,
    ...starting,
    fault: faults.supervisorAndInstancesDie,
    recover: appAnswers,
    ends: ["live"],
  },
  {
    name: "the supervisor dies while the instances of a broken release start",
    commit: neverListens,
    ...supervisorDies,
    ...starting,
    ends: ["failed"],
  },
  {
    name: "the runtime dies while new instances start",
    ...app,
    ...starting,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the supervisor dies between the slots and the verdict",
    ...supervisorDies,
    ...switched,
    ends: ["live"],
  },
  { name: "the agent dies between the slots and the verdict", ...agentDies, ...switched, ends: ["failed"] },
  {
    name: "the supervisor and the agent die between the slots and the verdict",
    ...bothDie,
    ...switched,
    ends: ["failed"],
  },
  {
    name: "all instances die between the slots and the verdict",
    ...app,
    ...switched,
    fault: faults.instancesDie,
    recover: appAnswers,
    ends: ["failed"],
  },
  {
    name: "the site server dies between the slots and the verdict",
    ...app,
    ...switched,
    fault: faults.siteServerDies,
    ends: ["live"],
  },
  { name: "the supervisor dies while replaced instances drain", ...supervisorDies, ...draining },
  { name: "the supervisor and the agent die while replaced instances drain", ...bothDie, ...draining },
  {
    name: "the agent dies while a process is restarted",
    doing: restarting,
    ...agentDies,
    ...starting,
    ends: ["failed"],
  },
  {
    name: "the agent dies with the result of a restart on its way",
    doing: restarting,
    ...agentDies,
    at: at.result,
    ends: ["live"],
  },
  {
    name: "the supervisor and the agent die in a rollback of an app",
    prepare: deployNext,
    doing: rollingBack,
    ...bothDie,
    ...switched,
    ends: ["failed"],
  },
  {
    name: "the supervisor and the agent die before they end the instances of a purged project",
    doing: purging,
    ...bothDie,
    at: at.removeProject,
    ends: [],
  },
];
