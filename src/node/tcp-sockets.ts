import { readdirSync, readFileSync, readlinkSync } from "node:fs";

import { attempt } from "#node/attempt.ts";

/** The states of sockets. Source: include/net/tcp_states.h in Linux. */
const ESTABLISHED = "01";
const LISTENING = "0A";

type TcpSocket = { readonly localPort: number; readonly state: string; readonly inode: string };

/**
 * The TCP sockets of this machine, or of the container; `null` without /proc.
 * Source: proc_pid_net(5), /proc/net/tcp
 */
function readTcpSockets(): readonly TcpSocket[] | null {
  const [ipv4, ipv6] = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) =>
    attempt(() => readFileSync(path, "latin1"), null),
  );
  if (ipv4 === null || ipv4 === undefined) return null;
  return [ipv4, ipv6 ?? ""].flatMap((table) =>
    table
      .split("\n")
      .slice(1)
      .flatMap((row) => {
        const [, local = "", , state, , , , , , inode] = row.trim().split(/\s+/);
        if (state === undefined || inode === undefined) return [];
        return [{ localPort: Number.parseInt(local.split(":").at(-1) ?? "", 16), state, inode }];
      }),
  );
}

/** The sockets that listen on a TCP port, as the links in /proc/PID/fd name them. Empty without /proc. */
export function socketsListeningOn(port: number): ReadonlySet<string> {
  const listening = (readTcpSockets() ?? []).filter(
    ({ localPort, state }) => localPort === port && state === LISTENING,
  );
  return new Set(listening.map(({ inode }) => `socket:[${inode}]`));
}

/** Whether a process has one of these sockets open. False for a process of another user, which hides them. */
export function hasSocket(pid: number, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  return attempt(() => readdirSync(folder), []).some((handle) =>
    sockets.has(attempt(() => readlinkSync(`${folder}/${handle}`), "")),
  );
}

/**
 * Counts the open connections to a port of this machine.
 * @returns `null` without /proc
 */
export function countConnections(port: number): number | null {
  const sockets = readTcpSockets();
  if (sockets === null) return null;
  return sockets.filter(({ localPort, state }) => localPort === port && state === ESTABLISHED).length;
}
