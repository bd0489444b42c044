import { createSocket } from "node:dgram";

/** Addresses for documentation: nothing is sent there, the system only chooses the interface. */
const ELSEWHERE = [
  ["udp4", "192.0.2.1"],
  ["udp6", "2001:db8::1"],
] as const;

/** The address of the interface of the default route; null without one. Never throws. */
export async function ownAddress(): Promise<string | null> {
  for (const [type, host] of ELSEWHERE) {
    const found = await addressTowards(type, host);
    if (found !== null) return found;
  }
  return null;
}

function addressTowards(type: "udp4" | "udp6", host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket(type);
    const end = (address: string | null): void => {
      socket.close();
      resolve(address);
    };
    socket.once("error", () => end(null));
    socket.once("connect", () => end(socket.address().address));
    // The discard port.
    socket.connect(9, host);
  });
}
