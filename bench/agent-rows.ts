import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import type { System } from "../test/support/journey-system.ts";
import type { Row } from "./measure.ts";

const GOAL_MIB = 60;
/** How long Node takes to return free memory. */
const IDLE_MS = 20_000;

/** Measures the memory of the agent while it has nothing to do, beside Node without a program. */
export async function measureIdleAgent(system: System): Promise<Row[]> {
  const bare = spawn(process.execPath, ["--eval", "setInterval(() => {}, 60_000)"], { stdio: "ignore" });
  try {
    await pause(IDLE_MS);
    const [agent, floor] = [await residentMiB(system.local.agent_pid), await residentMiB(bare.pid ?? 0)];
    return [
      {
        what: `agent without work, memory, Node ${process.versions.node.split(".")[0]}`,
        measured: `${agent.toFixed(0)} MiB`,
        against: `${floor.toFixed(0)} MiB  Node alone`,
        ratio: `+${(agent - floor).toFixed(0)} MiB`,
        goal: `≤ ${GOAL_MIB} MiB`,
        isMet: agent <= GOAL_MIB,
      },
    ];
  } finally {
    bare.kill();
  }
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
