import { eventually } from "../eventually.ts";
import { signal } from "../processes.ts";
import { deployNext } from "./deploy-next.ts";
import { canceling, everythingAtOnce, moving, purging, rollingBack } from "./doings.ts";
import { faults } from "./faults.ts";
import { at } from "./moments.ts";
import type { Fault, FaultPoint } from "./point.ts";

/** Stops the runtime until the supervisor restarts it. */
const runtimeHangs: Fault = async ({ installation }) => {
  const before = installation.worker.pid();
  signal(installation.workerdPid(), "SIGSTOP");
  await eventually("the Worker is restarted", () => ![null, before].includes(installation.worker.pid()));
  await installation.workerUp();
};

/** Long enough that its log is stored in R2 in parts, which are joined at the end. */
const longBuild = { lines: 25_000 };

/** The Worker ends just before, or just after, each moment in which it saves something. */
export const workerPoints: readonly FaultPoint[] = [
  {
    name: "the runtime dies with the 201 on its way",
    at: at.startAnswer,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the Worker dies before a start arrives",
    at: at.startRequest,
    fault: faults.workerDies,
    ends: ["live"],
  },
  {
    name: "the Worker dies between the 201 and the order",
    at: at.order,
    fault: faults.workerDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies before the first report",
    at: at.firstReport,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies after the first report",
    at: at.firstReportTaken,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies after it has taken output",
    at: at.firstOutputTaken,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  { name: "the runtime hangs in the build", at: at.gate("build"), fault: runtimeHangs, ends: ["live"] },
  {
    name: "the Worker exits in the build",
    at: at.gate("build"),
    fault: faults.workerIsEnded,
    ends: ["live"],
  },
  {
    name: "the runtime dies before it receives the request for the permit",
    at: at.ready,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the Worker dies with the permit on its way",
    at: at.permit,
    fault: faults.workerDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies in the activate command",
    at: at.gate("activate"),
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies before the result arrives",
    at: at.result,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies right after the result",
    at: at.resultTaken,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the Worker dies while it joins the parts of a long log",
    commit: longBuild,
    at: at.resultTaken,
    fault: faults.workerDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies while it sends the agent a stop",
    doing: canceling("build"),
    at: at.stop,
    fault: faults.runtimeDies,
    ends: ["canceled"],
  },
  {
    name: "the runtime dies with a rollback's order on its way",
    prepare: deployNext,
    doing: rollingBack,
    at: at.order,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies while two starts and a rollback come at once",
    prepare: deployNext,
    doing: everythingAtOnce,
    at: at.startAnswer,
    fault: faults.runtimeDies,
    ends: ["live", "superseded"],
  },
  {
    name: "the runtime dies with the order to purge a project on its way",
    doing: purging,
    at: at.removeProject,
    fault: faults.runtimeDies,
    ends: [],
  },
  {
    name: "the runtime dies before it receives the report that a project is purged",
    doing: purging,
    at: at.projectRemoved,
    fault: faults.runtimeDies,
    ends: [],
  },
  {
    name: "the Worker dies while a project moves",
    doing: moving,
    at: at.removeProject,
    fault: faults.workerDies,
    ends: ["live"],
  },
];
