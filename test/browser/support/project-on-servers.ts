import type { RunOrder } from "#contract/agent-order.ts";
import { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { Enrollment, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import type { DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";

import { networkTo } from "../../openapi/support/running-agent.ts";
import { enrol } from "../../support/connected-agent/agent-socket.ts";
import { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { type Api, createApi } from "../../support/journey-api.ts";
import { SHA } from "../../support/model/model-agent.ts";

/** A server of the project, with its simulated agent. */
export type Member = { readonly id: ServerId; readonly name: string; readonly agent: ConnectedAgent };

/** A project on several servers with simulated agents. */
export type ProjectOnServers = {
  readonly api: Api;
  readonly id: ProjectId;
  readonly members: readonly Member[];
  /** A deployment that is live on all servers. */
  deploy(): Promise<DeploymentId>;
  stop(): void;
};

/** Lines of output of a stage, as one event. */
export function linesOf(
  stage: Exclude<LogStage, "queued" | "end" | "prune">,
  ...messages: readonly string[]
) {
  const line = { time: new Date().toISOString(), stream: "stdout", stage } as const;
  return { type: "output" as const, lines: messages.map((message) => ({ ...line, message })) };
}

/** Creates servers in an account, and a project on them. @param names of the servers, which no other test of the account uses */
export async function createProjectOnServers(
  { url, token }: { readonly url: string; readonly token: string },
  names: readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<ProjectOnServers> {
  const api = createApi(url, token);
  const members: Member[] = [];
  for (const [at, name] of names.entries()) members.push(await addMember(api, url, name, at));
  const [first] = members;
  if (first === undefined) throw new Error("a project has at least one server");
  const { id } = await api.createProject({
    name: "shop",
    repository: "git@git.example.com:acme/shop.git",
    server_id: first.id,
    servers: members.map((member) => ({ id: member.id })),
    ...settings,
  });
  return {
    api,
    id,
    members,
    async deploy() {
      const started = await api.start(id);
      const orders: RunOrder[] = [];
      for (const { agent } of members) orders.push(await prepare(agent, started.id));
      for (const [at, { agent }] of members.entries()) await switchTo(agent, orders[at]);
      await api.ended(started.id);
      return started.id;
    },
    stop: () => members.forEach(({ agent }) => agent.cut()),
  };
}

async function addMember(api: Api, url: string, name: string, at: number): Promise<Member> {
  const created = await api.call("POST", "/v1/servers", { name, ip: `192.0.2.${at + 1}` });
  const { id } = ServerCreated.parse(created.json);
  const enrollment = await api.call("POST", `/v1/servers/${id}/enrollment`);
  const network = networkTo(url);
  const identity = await enrol(network, Enrollment.parse(enrollment.json).token, name);
  const agent = new ConnectedAgent(network, identity);
  agent.answersRequests = true;
  await agent.connect();
  await agent.receives("welcome");
  return { id, name, agent };
}

/** Takes the run of a server to where it waits for the others. */
export async function prepare(agent: ConnectedAgent, id: DeploymentId): Promise<RunOrder> {
  const order = await agent.orderOf(id);
  await agent.reports(
    order,
    { type: "stage", stage: "fetch" },
    linesOf("fetch", "Fetched main"),
    { type: "resolved", commit_sha: SHA, commit_message: "Change the title" },
    { type: "stage", stage: "build" },
    linesOf("build", `building on ${agent.serverId}`, "built in 2.31s"),
    { type: "ready" },
  );
  return order;
}

/** Switches a server whose run waits, as soon as it may. */
export async function switchTo(agent: ConnectedAgent, order: RunOrder | undefined): Promise<void> {
  if (order === undefined) throw new Error("no order");
  await permitted(agent, order);
  await agent.reports(order, { type: "stage", stage: "activate" }, linesOf("activate", "switched"));
  await agent.completes({ ...order, reuse_release: order.reuse_release ?? order.version });
}

/** Waits until a server may switch. */
export async function permitted(agent: ConnectedAgent, order: RunOrder): Promise<void> {
  for (;;) {
    const { instruction } = await agent.reports(order);
    if (instruction === "activate") return;
    if (instruction === "stop") throw new Error("the server is told to stop");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
