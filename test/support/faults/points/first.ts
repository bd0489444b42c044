import { at } from "./moments.ts";
import { agentComesBack, faults } from "./faults.ts";
import type { FaultPoint } from "./point.ts";

export const firstPoints: readonly FaultPoint[] = [
  {
    name: "the 201 is lost on its way back to the client",
    at: at.startAnswer,
    fault: faults.drop,
    ends: ["live"],
  },
  {
    name: "the runtime dies with the permit on its way",
    at: at.permit,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the agent dies in the build",
    at: at.gate("build"),
    fault: faults.agentDies,
    recover: agentComesBack,
    ends: ["failed"],
  },
  {
    name: "the agent dies in the activate command",
    at: at.gate("activate"),
    fault: faults.agentDies,
    recover: agentComesBack,
    ends: ["failed"],
  },
  {
    name: "the result's acknowledgement is lost",
    at: at.resultTaken,
    fault: faults.drop,
    ends: ["live"],
  },
];
