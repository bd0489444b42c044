import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { Enrollment, Server, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { builtPrograms } from "../test/support/built-programs.ts";
import type { System } from "../test/support/journey-system.ts";

const CONNECT_MS = 100;

/** Agents on this machine, each with a home of its own, as on servers of their own. */
export type BenchServers = { readonly ids: readonly string[]; close(): Promise<void> };

/** Adds servers to an installation, and starts their agents. */
export async function startServers(system: System, home: string, count: number): Promise<BenchServers> {
  const { agentProgram } = await builtPrograms();
  const ids: string[] = [];
  const agents: ChildProcess[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    const created = await system.api.call("POST", "/v1/servers", { name: `bench-${nth}`, ip: "127.0.0.1" });
    const { id } = ServerCreated.parse(created.json);
    const made = await system.api.call("POST", `/v1/servers/${id}/enrollment`);
    const { token } = Enrollment.parse(made.json);
    const folder = join(home, `bench-server-${nth}`);
    await mkdir(folder);
    const start = (args: readonly string[]) =>
      spawn(process.execPath, [agentProgram, ...args, "--home", folder], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    const ended: unknown[] = await once(
      start(["enroll", "--url", system.local.url, "--token", token]),
      "exit",
    );
    if (ended[0] !== 0) throw new Error(`the agent of bench-${nth} could not be enrolled`);
    agents.push(start(["run"]));
    ids.push(id);
  }
  for (const id of ids) await connected(system, id);
  return {
    ids,
    async close() {
      await Promise.all(
        agents.map(async (agent) => {
          const exited = once(agent, "exit");
          agent.kill("SIGTERM");
          await exited;
        }),
      );
    },
  };
}

async function connected({ api }: System, id: string): Promise<void> {
  for (;;) {
    const { status } = Server.parse((await api.call("GET", `/v1/servers/${id}`)).json);
    if (status === "healthy" || status === "degraded") return;
    await pause(CONNECT_MS);
  }
}
