import { readdirSync, readFileSync, readlinkSync } from "node:fs";

import { attempt } from "#node/attempt.ts";

const LISTENING = "0A";

/**
 * The sockets that listen on a TCP port, as the links in /proc/PID/fd name them. Empty without /proc.
 * Source: proc_pid_net(5), /proc/net/tcp
 */
export function socketsListeningOn(port: number): ReadonlySet<string> {
  const sockets = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const rows = attempt(() => readFileSync(table, "latin1"), "")
      .split("\n")
      .slice(1);
    for (const row of rows) {
      const [, local = "", , state, , , , , , inode] = row.trim().split(/\s+/);
      const isOnPort = Number.parseInt(local.split(":").at(-1) ?? "", 16) === port;
      if (state === LISTENING && isOnPort && inode !== undefined) sockets.add(`socket:[${inode}]`);
    }
  }
  return sockets;
}

/** Whether a process has one of these sockets open. False for a process of another user, which hides them. */
export function hasSocket(pid: number, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  return attempt(() => readdirSync(folder), []).some((handle) =>
    sockets.has(attempt(() => readlinkSync(`${folder}/${handle}`), "")),
  );
}
