import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import * as z from "zod";

import {
  Deployment,
  DeploymentStarted,
  type DeploymentStatus,
} from "#contract/endpoints/deployments/schemas.ts";
import { Variables } from "#contract/endpoints/variables/schemas.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { AccountId, type DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { createAccount } from "./account.ts";
import { newServerKeys, type ServerKeys } from "../seal-keys.ts";
import { call } from "./call.ts";
import { Copies } from "./copies.ts";
import type { ConnectedAgent } from "../connected-agent/connected-agent.ts";
import { output } from "../connected-agent/events.ts";
import { enrolAgent, enrolledAgent } from "./enrol-agent.ts";

const WithId = z.object({ id: ProjectId });

/** Connects an agent with a seal key, by default a new one, and waits until the key is in the database. */
export async function connectWithKeys(
  agent: ConnectedAgent,
  token: string,
  given?: ServerKeys,
): Promise<ServerKeys> {
  const keys = given ?? (await newServerKeys());
  await agent.connect({ sealKey: keys.sealKey });
  await agent.receives("welcome");
  await vi.waitFor(async () => {
    const server = await call(`/v1/servers/${agent.serverId}`, { token });
    expect(await server.json()).toMatchObject({ seal_key: keys.sealKey });
  });
  return keys;
}

type Settings = { readonly name?: string; readonly [setting: string]: unknown };

/** A project with its own account and server. */
const Parts = z
  .object({
    account: z.object({ id: AccountId, token: z.string() }),
    credential: z.string(),
    serverId: ServerId,
    projectId: ProjectId,
  })
  .readonly();
type Parts = z.infer<typeof Parts>;

async function createProject(name: string, settings: Settings = {}): Promise<Parts> {
  const { id, token } = await createAccount();
  const { serverId, credential } = await enrolAgent(token);
  const body = { name, server_id: serverId, repository: "/srv/git/shop.git", ...settings };
  const created = await call("/v1/projects", { method: "POST", token, body });
  const projectId = WithId.parse(await created.json()).id;
  return { account: { id, token }, credential, serverId: ServerId.parse(serverId), projectId };
}

export const projectCopies = new Copies<Parts>(Parts, createProject);

/** A project with its own account and server, used through the API. */
export class TestProject {
  readonly token: string;
  readonly id: ProjectId;
  readonly agent: ConnectedAgent;

  private constructor(token: string, id: ProjectId, agent: ConnectedAgent) {
    this.token = token;
    this.id = id;
    this.agent = agent;
  }

  /** Creates a project whose agent is enrolled but not connected. With no other setting than the name it is a copy. */
  static async create({ name = "shop", ...settings }: Settings = {}): Promise<TestProject> {
    const isCopied = Object.keys(settings).length === 0;
    const { account, projectId, ...identity } = await (isCopied
      ? projectCopies.copy(name)
      : createProject(name, settings));
    return new TestProject(account.token, projectId, enrolledAgent(identity));
  }

  static async connected(settings: Settings = {}): Promise<TestProject> {
    const project = await TestProject.create(settings);
    await project.agent.connect();
    await project.agent.receives("welcome");
    return project;
  }

  /** A project on several servers, whose agents are connected. `project.agent` is the first one. */
  static async onServers(
    count: number,
    settings: Settings = {},
  ): Promise<{ project: TestProject; agents: ConnectedAgent[]; accountId: AccountId }> {
    const { id: accountId, token } = await createAccount();
    const agents: ConnectedAgent[] = [];
    for (let at = 1; at <= count; at += 1) agents.push(await enrolAgent(token, `web-${at}`));
    const [first] = agents;
    if (first === undefined) throw new Error("a project has at least one server");
    for (const agent of agents) {
      await agent.connect();
      await agent.receives("welcome");
    }
    const servers = agents.map(({ serverId }) => ({ id: serverId }));
    const place = { server_id: first.serverId, servers, repository: "/srv/git/shop.git" };
    const body = { name: "shop", ...place, ...settings };
    const created = await call("/v1/projects", { method: "POST", token, body });
    expect(created.status, await created.clone().text()).toBe(201);
    const projectId = WithId.parse(await created.json()).id;
    return { project: new TestProject(token, projectId, first), agents, accountId };
  }

  /** As `connected`, with an agent that answers the control plane's requests. */
  static async answering(): Promise<TestProject> {
    const project = await TestProject.create();
    project.agent.answersRequests = true;
    await project.agent.connect();
    await project.agent.receives("welcome");
    return project;
  }

  /** As `connected`, with an agent that has a seal key, and a project that is created when the key is known. */
  static async withKeys(
    settings: Record<string, unknown> = {},
  ): Promise<{ project: TestProject; keys: ServerKeys }> {
    const { token } = await createAccount();
    const agent = await enrolAgent(token);
    const keys = await connectWithKeys(agent, token);
    const body = { name: "shop", server_id: agent.serverId, repository: "/srv/git/shop.git", ...settings };
    const created = await call("/v1/projects", { method: "POST", token, body });
    return { project: new TestProject(token, WithId.parse(await created.json()).id, agent), keys };
  }

  /** Waits until a deployment's commit is known, so that it can be approved. */
  async awaitsApproval(id: string): Promise<Deployment> {
    return await vi.waitFor(async () => {
      const deployment = await this.deployment(id);
      expect(deployment.waiting_on).toEqual({ type: "approval" });
      return deployment;
    });
  }

  get variablesPath(): string {
    return `/v1/projects/${this.id}/variables`;
  }

  async variables(): Promise<Variables> {
    return Variables.parse(await (await this.get(this.variablesPath)).json());
  }

  /** Sets variables, in the form of the API, and fails if that is refused. */
  async set(...set: readonly Record<string, unknown>[]): Promise<Variables> {
    const response = await this.call("PATCH", this.variablesPath, { set });
    return Variables.parse(await response.json());
  }

  /** Creates a project with a running build that has written the line "one". */
  static async running(): Promise<{ project: TestProject; id: DeploymentId; order: RunOrder }> {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "build" }, output("one"));
    return { project, id, order };
  }

  async post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return await call(path, { method: "POST", token: this.token, body, headers });
  }

  async get(
    path: string,
    headers: Record<string, string> = {},
    token: string = this.token,
  ): Promise<Response> {
    return await call(path, { token, headers });
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return await call(path, { method, token: this.token, body, headers });
  }

  /** Changes the project's settings. */
  async patch(body: unknown): Promise<Response> {
    return await this.call("PATCH", `/v1/projects/${this.id}`, body);
  }

  /** Deletes the whole project. */
  async remove(query = ""): Promise<Response> {
    return await this.call("DELETE", `/v1/projects/${this.id}${query}`);
  }

  async delete(deploymentId: string): Promise<Response> {
    const path = `/v1/projects/${this.id}/deployments/${deploymentId}`;
    return await call(path, { method: "DELETE", token: this.token });
  }

  async start(body?: unknown): Promise<DeploymentStarted> {
    const response = await this.post(`/v1/projects/${this.id}/deployments`, body);
    return DeploymentStarted.parse(await response.json());
  }

  async rollBack(target: Record<string, unknown> = {}): Promise<DeploymentStarted> {
    const response = await this.post("/v1/rollback", { project_id: this.id, ...target });
    return DeploymentStarted.parse(await response.json());
  }

  async deployment(id: string): Promise<Deployment> {
    return Deployment.parse(await (await this.get(`/v1/deployments/${id}`)).json());
  }

  /** Waits until a deployment has a status. */
  async reaches(id: string, status: DeploymentStatus): Promise<Deployment> {
    return await vi.waitFor(async () => {
      const deployment = await this.deployment(id);
      if (deployment.status !== status) throw new Error(`${id} is ${deployment.status}, not ${status}`);
      return deployment;
    });
  }

  /** Starts a deployment and makes it live. @param agent of the deployment's server */
  async deploy(body?: unknown, agent = this.agent): Promise<{ id: string; order: RunOrder }> {
    const { id } = await this.start(body);
    const order = await agent.orderOf(id);
    await agent.completes(order);
    await this.reaches(id, "live");
    return { id, order };
  }
}

/** The lane of a project. */
export const laneOf = ({ id }: TestProject) => env.PROJECT_LANE.getByName(id);
