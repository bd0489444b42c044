import { setTimeout as pause } from "node:timers/promises";

import { PING, PING_INTERVAL_MS } from "#contract/agent-protocol.ts";
import { enrol, type Network } from "../../support/connected-agent/agent-socket.ts";
import { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";

const STEP_MS = 5;

/** A simulated agent that works until it is closed. */
export type RunningAgent = { readonly credential: string; readonly close: () => Promise<void> };

/** Enrols an agent with the enrolment token of a server, connects it and lets it work. Every third switch fails. */
export async function runAgent(url: string, token: string): Promise<RunningAgent> {
  const network = networkTo(url);
  const agent = new ConnectedAgent(network, await enrol(network, token, "web-1"));
  let switches = 0;
  agent.answersRequests = true;
  agent.isHealthy = () => (switches += 1) % 3 !== 0;
  agent.lines = ["…"];
  await agent.connect();
  let isClosed = false;
  const work = async (): Promise<void> => {
    while (!isClosed) {
      await agent.step();
      await pause(STEP_MS);
    }
  };
  const working = work();
  return {
    credential: agent.credential,
    async close() {
      isClosed = true;
      await working;
      agent.cut();
    },
  };
}

/** The network between a simulated agent and an installation. */
export function networkTo(url: string): Network {
  return {
    openLink: async (credential, { onMessage, onClose }) =>
      await new Promise((resolve, reject) => {
        const address = `${url.replace(/^http/, "ws")}/v1/agent/connect`;
        const socket = new WebSocket(address, { headers: { authorization: `Bearer ${credential}` } });
        // The control plane ends the link of an agent that is silent for a minute, which a test on a busy machine can be.
        let pinging: NodeJS.Timeout | undefined;
        socket.addEventListener("open", () => {
          pinging = setInterval(() => socket.send(PING), PING_INTERVAL_MS);
          resolve(socket);
        });
        socket.addEventListener("close", () => clearInterval(pinging));
        socket.addEventListener("error", () => reject(new Error("the agent cannot connect")));
        socket.addEventListener("message", ({ data }) => onMessage(data));
        socket.addEventListener("close", ({ code, reason }) => onClose(code, reason));
      }),
    post: async (path, token, body) =>
      await fetch(url + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }),
  };
}
