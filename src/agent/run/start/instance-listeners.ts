import { stat } from "node:fs/promises";

import { INSTANCE_HOST } from "#agent/apps/instance-spec.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { type Listener, tcpListeners } from "#node/tcp-sockets.ts";

/** So many of the newest sockets of its user are examined, and so many addresses named. */
const MAX_EXAMINED = 20;
const MAX_NAMED = 3;

/**
 * The addresses that an instance listens on, which runs outside a container.
 * @param isNeeded whether the result is still of interest, asked before each look
 */
export async function instanceListeners(
  { context, folder }: Pick<RunScope, "context" | "folder">,
  name: string,
  isNeeded: () => boolean = () => true,
): Promise<readonly Listener[]> {
  // The log belongs to the user who runs the instance.
  const user = await stat(instanceLog(folder, name)).catch(() => null);
  const candidates = tcpListeners().filter(({ uid }) => uid === user?.uid);
  const own: Listener[] = [];
  for (const one of candidates.slice(0, MAX_EXAMINED)) {
    if (!isNeeded() || own.length === MAX_NAMED) break;
    const holds = await context.supervisor.listensOn(folder.id, name, one.port);
    if (holds.ok && holds.value) own.push(one);
    // An instance opens its sockets at about the same time.
    else if (own.length > 0) break;
  }
  return own;
}

/**
 * Where an instance listens instead of at its port, and what to change.
 * @param port the port that requests are sent to
 * @param listeners what the instance listens on; not empty
 */
export function elsewhereText(port: number, listeners: readonly Listener[]): string {
  const samePort = listeners.filter((one) => one.port === port);
  const fix = samePort.length > 0 ? "the address in HOST" : "the port in PORT and the address in HOST";
  const found = samePort.length > 0 ? samePort : listeners;
  const places = found.map(({ address, port: at }) => `${address}:${at}`).join(" and ");
  return `it listens on ${places}: use ${fix}, ${INSTANCE_HOST}`;
}
