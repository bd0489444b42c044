import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { AgentConnection, CONNECTION_FILE } from "#contract/agent-connection.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Server } from "#contract/endpoints/servers/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";

import { type Api, valueOf } from "../shared/api.ts";
import { Problem } from "../shared/problem.ts";
import { runCommand } from "../shared/run-command.ts";
import type { Service } from "./supervisor.ts";

/** How long the agent may take to connect to the control plane on the same machine. */
const LINK_TIMEOUT_MS = 30_000;

/** Registers this machine as a server of the account, unless `known` still exists. */
export async function prepareServer(api: Api, known: ServerId | null): Promise<ServerId> {
  if (known !== null) {
    const result = await api.getServer({ params: { server_id: known } });
    if (result.ok) return result.value.id;
    if (result.problem.code !== "not_found") valueOf(result, "Reading the server");
  }
  const name = hostname();
  const created = await api.createServer({ body: { name, ip: "127.0.0.1" } });
  if (created.ok || created.problem.code !== "name_taken")
    return valueOf(created, "Registering the server").id;
  // An earlier start registered it, and ended before it saved the id.
  const { servers } = valueOf(await api.listServers(), "Listing the servers");
  const same = servers.find((server) => server.name === name);
  if (same === undefined)
    throw new Problem(`The server name ${name} is taken, but no server of the account has it.`);
  return same.id;
}

/**
 * Enrols the agent, unless it already has a credential for this server at this address.
 * @param program the agent's file
 * @returns whether it was enrolled now
 */
export async function enrollAgent(
  api: Api,
  serverId: ServerId,
  url: string,
  agentHome: string,
  program: string,
): Promise<boolean> {
  const known = await readConnection(agentHome);
  if (known !== null && known.server_id === serverId && known.url === url) return false;
  const enrollment = valueOf(
    await api.createEnrollment({ params: { server_id: serverId } }),
    "Creating an enrolment token",
  );
  const { code, output } = await runCommand(
    [process.execPath, program, ...["enroll", "--url", url, "--home", agentHome]],
    { env: { GANTRY_TOKEN: enrollment.token } },
  );
  if (code !== 0) throw new Problem(`The agent could not be enrolled:\n${output.trim()}`);
  return true;
}

async function readConnection(agentHome: string): Promise<AgentConnection | null> {
  const text = await readFile(join(agentHome, CONNECTION_FILE), "utf8").catch(() => "");
  return AgentConnection.safeParse(parseJson(text)).data ?? null;
}

/**
 * Waits until the agent is connected.
 * @param since when the agent was started, in Unix milliseconds. The server may still be healthy because of an agent that
 * was killed a moment ago.
 */
export async function waitForAgent(
  api: Api,
  serverId: ServerId,
  agent: Service,
  since: number,
): Promise<void> {
  const deadline = Date.now() + LINK_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const result = await api.getServer({ params: { server_id: serverId } });
    if (result.ok && isConnected(result.value, since)) return;
    await pause(100);
  }
  throw new Problem(
    `The agent could not connect to the control plane. Its log ends with:\n${await agent.logTail()}`,
  );
}

function isConnected({ status, last_seen_at }: Server, since: number): boolean {
  const isUp = status === "healthy" || status === "degraded";
  return isUp && last_seen_at !== null && Date.parse(last_seen_at) >= since;
}
