import type { RunOrder } from "#contract/agent-order.ts";
import type { ConnectedAgent } from "../connected-agent/connected-agent.ts";
import { output } from "../connected-agent/events.ts";
import { SHA } from "../model/model-agent.ts";
import type { TestProject } from "./project.ts";

/** What an agent reports of the commit. */
export const resolved = { type: "resolved", commit_sha: SHA, commit_message: "Change the title" } as const;

/** Takes each server's run to where it waits for its permit. */
export async function prepareAll(agents: readonly ConnectedAgent[], id: string) {
  const orders: RunOrder[] = [];
  for (const agent of agents) {
    const order = await agent.orderOf(id);
    await agent.reports(order, output("Fetched"), resolved, { type: "ready" });
    orders.push(order);
  }
  return orders;
}

/** Makes a deployment live on all servers of a project. @returns its id */
export async function deployToAll(project: TestProject, agents: readonly ConnectedAgent[]): Promise<string> {
  const { id } = await project.start();
  const orders = await prepareAll(agents, id);
  for (const [at, agent] of agents.entries()) {
    const order = orders[at];
    if (order !== undefined) await agent.completes({ ...order, reuse_release: order.version });
  }
  await project.reaches(id, "live");
  return id;
}
