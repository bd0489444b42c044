import { faults } from "./faults.ts";
import { at } from "./moments.ts";
import type { FaultPoint } from "./point.ts";
import { addRudeReceiver, everythingComesAgain, receiverIsRude } from "./rude-receiver.ts";

/** The Worker ends, or the receiver fails, at each moment on the way of an event to a webhook. */
export const eventPoints: readonly FaultPoint[] = [
  {
    name: "the runtime dies when it has a result whose event no webhook has yet",
    at: at.resultTaken,
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the runtime dies with an event on its way to a webhook",
    at: at.eventSent("deployment.live"),
    fault: faults.runtimeDies,
    ends: ["live"],
  },
  {
    name: "the Worker dies with the answer of a webhook's receiver on its way",
    at: at.eventAnswered("deployment.live"),
    fault: faults.workerDies,
    ends: ["live"],
  },
  {
    name: "a webhook's receiver closes the connection",
    at: at.eventSent("deployment.started"),
    fault: faults.drop,
    ends: ["live"],
  },
  {
    name: "a webhook's receiver hangs, drips and redirects",
    prepare: addRudeReceiver,
    at: receiverIsRude,
    fault: faults.none,
    ends: ["live"],
    check: (_deployment, scene) => everythingComesAgain(scene),
  },
];
