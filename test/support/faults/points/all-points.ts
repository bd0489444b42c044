import { agentPoints } from "./agent-points.ts";
import { commandPoints } from "./command-points.ts";
import { eventPoints } from "./event-points.ts";
import { holdPoints } from "./hold-points.ts";
import { networkPoints } from "./network-points.ts";
import { processPoints } from "./process-points.ts";
import { racePoints } from "./race-points.ts";
import { workerPoints } from "./worker-points.ts";

/** All fault points, except the points that need a small disk (`diskPoints`). */
export const allPoints = [
  ...networkPoints,
  ...workerPoints,
  ...agentPoints,
  ...commandPoints,
  ...racePoints,
  ...eventPoints,
  ...holdPoints,
  // The last, because their instances run until the end, and the agent and the supervisor check them all the time.
  ...processPoints,
];
