import { readdirSync, readFileSync, readlinkSync } from "node:fs";

import { attempt } from "#node/attempt.ts";

/** The states of sockets. Source: include/net/tcp_states.h in Linux. */
const ESTABLISHED = "01";
const LISTENING = "0A";

type TcpSocket = {
  /** As /proc has it: bytes in hexadecimal, each four of them reversed. */
  readonly localAddress: string;
  readonly localPort: number;
  readonly state: string;
  readonly uid: number;
  readonly inode: string;
};

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
        const [, local = "", , state, , , , uid, , inode] = row.trim().split(/\s+/);
        if (state === undefined || inode === undefined) return [];
        const [localAddress = "", port = ""] = local.split(":");
        return [{ localAddress, localPort: Number.parseInt(port, 16), state, uid: Number(uid), inode }];
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

/** A TCP port of this machine that a process listens on, and the user of the process. */
export type Listener = { readonly address: string; readonly port: number; readonly uid: number };

/** The listening TCP sockets, newest first, with addresses as in URLs: `127.0.0.1`, `[::1]`. Empty without /proc. */
export function tcpListeners(): readonly Listener[] {
  return (readTcpSockets() ?? [])
    .filter(({ state }) => state === LISTENING)
    .toSorted((one, other) => Number(other.inode) - Number(one.inode))
    .map(({ localAddress, localPort, uid }) => ({
      address: addressText(localAddress),
      port: localPort,
      uid,
    }));
}

function addressText(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.flatMap((byte, at) => (at % 2 === 0 ? [byte * 256 + (bytes[at + 1] ?? 0)] : []));
  // A URL has the shortest form of an address.
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]`).hostname;
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
