import { isLoopback } from "#contract/loopback.ts";

/** Where the agent serves its metrics. */
export type ListenAddress = { readonly host: string; readonly port: number };

/**
 * Reads `127.0.0.1:9464` or `[::1]:9464`. Metrics have no sign-in, so other machines must not reach them.
 * @returns a sentence if the address is not one of this machine
 */
export function parseListenAddress(text: string): ListenAddress | string {
  const [, host = "", port = ""] = /^(localhost|[0-9.]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(text) ?? [];
  if (host === "" || Number(port) < 1 || Number(port) > 65_535)
    return `--metrics needs an address and a port, such as 127.0.0.1:9464, not ${text}`;
  if (!isLoopback(host.toLowerCase()))
    return `--metrics needs an address of this machine, such as 127.0.0.1:9464, because the metrics have no sign-in, not ${text}`;
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
