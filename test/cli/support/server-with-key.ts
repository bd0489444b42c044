import type { Gantry } from "../../openapi/support/gantry.ts";
import { networkTo } from "../../openapi/support/running-agent.ts";
import { enrol } from "../../support/connected-agent/agent-socket.ts";
import { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { eventually } from "../../support/faults/eventually.ts";
import { type Api, createApi } from "../../support/journey-api.ts";
import { newServerKeys, type ServerKeys } from "../../support/seal-keys.ts";
import { Enrollment, Server, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { Variables } from "#contract/endpoints/variables/schemas.ts";

/** A project whose server has a simulated agent with a seal key. */
export type ServerWithKey = {
  readonly projectId: string;
  readonly serverId: string;
  readonly agent: ConnectedAgent;
  readonly keys: ServerKeys;
  readonly api: Api;
  variables(): Promise<Variables>;
  /** Sets variables as another client would. */
  update(body: unknown): Promise<void>;
  /** Connects the agent with another key, as after the loss of the first one. */
  changeKey(): Promise<ServerKeys>;
  stop(): void;
};

/** A server whose simulated agent is connected. */
export type ConnectedServer = Pick<
  ServerWithKey,
  "serverId" | "agent" | "keys" | "api" | "changeKey" | "stop"
>;

/**
 * @param name of the server, which no other test of the account uses
 * @param address for other servers; null: none
 */
export async function connectServer(
  { url, token }: Pick<Gantry, "url" | "token">,
  name: string,
  address: string | null = null,
): Promise<ConnectedServer> {
  const api = createApi(url, token);
  const server = ServerCreated.parse(
    (await api.call("POST", "/v1/servers", { name, ip: "192.0.2.1", address })).json,
  );
  const enrollment = await api.call("POST", `/v1/servers/${server.id}/enrollment`);
  const identity = await enrol(networkTo(url), Enrollment.parse(enrollment.json).token, name);
  const agent = new ConnectedAgent(networkTo(url), identity);
  agent.answersRequests = true;
  agent.tools = [
    { name: "node", version: "24.11.1" },
    { name: "corepack", version: null },
  ];
  const connect = async () => {
    const keys = await newServerKeys();
    await agent.connect({ sealKey: keys.sealKey });
    await eventually("the control plane has the key", async () => {
      const read = await api.call("GET", `/v1/servers/${server.id}`);
      return Server.parse(read.json).seal_key?.fingerprint === keys.sealKey.fingerprint;
    });
    return keys;
  };
  const keys = await connect();
  return {
    serverId: server.id,
    agent,
    keys,
    api,
    async changeKey() {
      agent.cut();
      return await connect();
    },
    stop: () => agent.cut(),
  };
}

/** @param name of the server and of the project, which no other test of the account uses */
export async function createServerWithKey(
  gantry: Pick<Gantry, "url" | "token">,
  name: string,
  repository = "https://example.com/shop.git",
): Promise<ServerWithKey> {
  const server = await connectServer(gantry, name);
  const { api } = server;
  const { id } = await api.createProject({ name, repository, server_id: server.serverId });
  const path = `/v1/projects/${id}/variables`;
  return {
    ...server,
    projectId: id,
    variables: async () => Variables.parse((await api.call("GET", path)).json),
    async update(body) {
      const { status, text } = await api.call("PATCH", path, body);
      if (status !== 200) throw new Error(text);
    },
  };
}
