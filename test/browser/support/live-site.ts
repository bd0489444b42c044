import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { listenForControl } from "#agent/sites/control-server.ts";
import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { createSiteRegistry } from "#agent/sites/site-registry.ts";
import { createSiteStore } from "#agent/sites/site-store.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { root } from "../../../scripts/shared/root.ts";
import type { LocalFile } from "../../../scripts/start/local-file.ts";
import type { Api } from "../../support/journey-api.ts";
import { createRepository } from "../../support/journey-repository.ts";
import { freePort } from "../../support/free-port.ts";
import { joinServer } from "./operator.ts";

/** A server, a project and a live deployment, as `npm start` creates them. */
export type LiveSite = {
  readonly ids: Pick<LocalFile, "server_id" | "project_id" | "deployment_id">;
  /** Stops its agent and its site server. */
  stop(): Promise<void>;
};

/**
 * Serves the sites of an agent with this home. The server runs in this process, because a process for each file takes a
 * third of a second of CPU time to start. @param socket where the agent reaches the server @returns a function that
 * ends the server
 */
export async function serveSites(agentHome: string, socket: string): Promise<() => Promise<void>> {
  const sites = createSiteRegistry({
    store: createSiteStore(agentHome, () => undefined),
    slots: localSlotsFolder(agentHome),
    firstPort: await freePort(),
    log: () => undefined,
  });
  const control = await listenForControl(socket, sites);
  await sites.reopen();
  return async () => {
    control.close();
    control.closeAllConnections();
    await sites.close();
  };
}

/**
 * Enrolls a server with its own agent and site server, and deploys the example to it.
 * @param folder for all its files
 */
export async function createLiveSite(api: Api, folder: string): Promise<LiveSite> {
  const agentHome = join(folder, "agent");
  const socket = join(folder, "sites.sock");
  await mkdir(agentHome, { recursive: true });
  const made = await api.call("POST", "/v1/servers", { name: "local", ip: "127.0.0.1" });
  const server = ServerCreated.parse(made.json);
  const endSites = await serveSites(agentHome, socket);
  const agent = await joinServer(server.enrollment.command, agentHome, ["--sites-socket", socket]);
  agent.start();
  const stop = async () => {
    await agent.kill();
    await endSites();
  };
  try {
    const source = join(folder, "hello-site");
    await cp(join(root, "examples", "hello-site"), source, { recursive: true });
    const { commit } = await createRepository(source);
    await commit({});
    const project = await api.createProject({
      name: "hello-site",
      server_id: server.id,
      repository: source,
    });
    const deployment = await api.ended((await api.start(project.id)).id);
    if (deployment.status !== "live")
      throw new Error(`The example is not live: ${JSON.stringify(deployment)}`);
    return { ids: { server_id: server.id, project_id: project.id, deployment_id: deployment.id }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
