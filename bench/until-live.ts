import { setTimeout as pause } from "node:timers/promises";

import type { System } from "../test/support/journey-system.ts";
import { time } from "./measure.ts";

const POLL_MS = 4;

/** Measures the time from a request until a polling client sees the deployment live. */
export async function untilLive(system: System, starting: () => Promise<{ id: string }>): Promise<number> {
  return time(async () => {
    const { id } = await starting();
    for (;;) {
      const deployment = await system.api.getDeployment(id);
      if (deployment.status === "live") return;
      if (deployment.status !== "building")
        throw new Error(`The deployment ended: ${JSON.stringify(deployment)}`);
      await pause(POLL_MS);
    }
  });
}
