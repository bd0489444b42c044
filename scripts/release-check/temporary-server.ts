import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ServerId } from "#contract/ids.ts";

import { type Api, valueOf } from "../shared/api.ts";
import { agentBeside, buildWorker, sitesBeside } from "../shared/build-worker.ts";
import { Problem } from "../shared/problem.ts";
import { isPortFree } from "../start/port.ts";
import { enrollAgent, waitForAgent } from "../start/prepare-server.ts";
import { createServices, type Services } from "../start/services.ts";

/** Sites get the ports after the first of these that is free. */
const FIRST_PORT = 8_900;
const PORT_STEP = 20;
const LAST_PORT = 9_900;

/** An agent of these sources on this machine, connected to the installation as a server of its own. */
export type TemporaryServer = {
  readonly id: ServerId;
  readonly folder: string;
  /** Kills the agent and the programs beside it, as a power cut does. */
  kill(): void;
};

/**
 * Starts the server.
 * @param onOpen receives a function that stops and removes everything, before anything is created. It is safe to repeat
 * @throws Problem if the agent cannot be built, enrolled or connected
 */
export async function startTemporaryServer(
  api: Api,
  url: string,
  name: string,
  onOpen: (remove: () => Promise<void>) => void,
): Promise<TemporaryServer> {
  const built = await buildWorker();
  if (!built.ok) throw new Problem(`The agent does not build:\n${built.output}`);
  const folder = await mkdtemp(join(tmpdir(), "gantry-release-check-"));
  let services: Services | null = null;
  let id: ServerId | null = null;
  onOpen(async () => {
    await services?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    if (id === null) return;
    const deleted = await api.deleteServer({ params: { server_id: id } });
    if (!deleted.ok && deleted.problem.code !== "not_found") valueOf(deleted, `Deleting the server ${name}`);
  });

  const port = await freePortForSites();
  const options = { home: folder, port, isPortGiven: true, repo: null, branch: null, inspect: null };
  services = await createServices({ ...options, "rate-limit": null }, () => undefined);
  const program = await agentBeside(built.bundle);
  await Promise.all([
    services.startSites(sitesBeside(built.bundle)).ready,
    services.startSupervisor(program).ready,
  ]);
  id = valueOf(await api.createServer({ body: { name, ip: "127.0.0.1" } }), "Creating the server").id;
  await enrollAgent(api, id, url, services.agentHome, program);
  await waitForAgent(api, id, services.startAgent(program), 0);
  return { id, folder, kill: () => services?.kill() };
}

async function freePortForSites(): Promise<number> {
  for (let port = FIRST_PORT; port < LAST_PORT; port += PORT_STEP)
    if (await isPortFree(port + 1)) return port;
  throw new Problem(`All ports from ${FIRST_PORT} to ${LAST_PORT} of this machine are taken.`);
}
