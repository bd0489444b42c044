import { readFileSync } from "node:fs";

import { attempt } from "#node/attempt.ts";

/** The state of a connection that both sides have open. Source: include/net/tcp_states.h in Linux. */
const ESTABLISHED = "01";

/**
 * Counts the open connections to a port of this machine.
 * @returns `null` where the kernel does not show them
 */
export function countConnections(port: number): number | null {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) =>
    attempt(() => readFileSync(path, "latin1"), null),
  );
  if (tables[0] === null) return null;
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return tables
    .flatMap((table) => table?.split("\n") ?? [])
    .filter((line) => {
      const [, local, , state] = line.trim().split(/\s+/);
      return state === ESTABLISHED && local?.endsWith(suffix) === true;
    }).length;
}
