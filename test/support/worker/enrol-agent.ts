import { exports } from "cloudflare:workers";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { enrol, type Identity, type Network } from "../connected-agent/agent-socket.ts";
import { ConnectedAgent } from "../connected-agent/connected-agent.ts";
import { call, ORIGIN } from "./call.ts";

/** Reaches the Worker without leaving its runtime. */
const network: Network = {
  async openLink(credential, { onMessage, onClose }) {
    const headers = { upgrade: "websocket", authorization: `Bearer ${credential}` };
    const response = await exports.default.fetch(`${ORIGIN}/v1/agent/connect`, { headers });
    const socket = response.webSocket;
    if (socket === null) throw new Error(`no upgrade: ${response.status} ${await response.text()}`);
    socket.accept();
    socket.addEventListener("message", ({ data }) => onMessage(data));
    socket.addEventListener("close", ({ code, reason }) => onClose(code, reason));
    return socket;
  },
  post: async (path, token, body) => await call(path, { method: "POST", token, body }),
};

/** Registers a server named `name` and enrols its agent, which is not connected yet. @param token of the account */
export async function enrolAgent(token: string, name = "web-1"): Promise<ConnectedAgent> {
  const created = await network.post("/v1/servers", token, { name, ip: "192.0.2.10" });
  const { enrollment } = ServerCreated.parse(await created.json());
  return new ConnectedAgent(network, await enrol(network, enrollment.token, name));
}

/** The enrolled agent of a server, which is not connected yet. */
export function enrolledAgent(identity: Identity): ConnectedAgent {
  return new ConnectedAgent(network, identity);
}

/** Connects the enrolled agent of a server, which answers the control plane's requests at once. */
export async function connectAgent(identity: Identity): Promise<ConnectedAgent> {
  const agent = enrolledAgent(identity);
  agent.answersRequests = true;
  await agent.connect();
  await agent.receives("welcome");
  return agent;
}
