import { createServer } from "node:net";

import { readNotes } from "#agent/apps/instance-notes.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { listProjects } from "#agent/workspace/list-projects.ts";

/** Below the ports that the kernel gives to outgoing connections. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/**
 * Chooses a port that no instance of any project has and on which nothing listens. It stays taken until `returnPort`, or
 * as long as an instance's note has it.
 * @param wanted tried first
 * @throws when none is free
 */
export async function reservePort(
  { home, apps, random }: Pick<AgentContext, "home" | "apps" | "random">,
  wanted: number | null = null,
): Promise<number> {
  const noted = new Set<number>();
  for (const { folder } of await listProjects(home))
    for (const { port } of readNotes(folder)) if (port !== null) noted.add(port);
  const first = Math.floor(random() * PORTS);
  const candidates = Array.from({ length: PORTS }, (_, at) => FIRST_PORT + ((first + at) % PORTS));
  for (const port of wanted === null ? candidates : [wanted, ...candidates]) {
    if (apps.ports.has(port) || (port !== wanted && noted.has(port))) continue;
    apps.ports.add(port);
    if (await isFree(port)) return port;
    apps.ports.delete(port);
  }
  throw new Error(`all ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are in use`);
}

/** The port's note is written, or the port is not used. */
export function returnPort({ apps }: Pick<AgentContext, "apps">, port: number | null): void {
  if (port !== null) apps.ports.delete(port);
}

/** Listens on all addresses for a moment, because an app may do that too. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
