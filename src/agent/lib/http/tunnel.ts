import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { Duplex, PassThrough } from "node:stream";
import { connect as connectTls } from "node:tls";

import { percentDecoded } from "#contract/mask.ts";

/** From the start of the request to the proxy's answer. */
const TUNNEL_MS = 15_000;

type Created = (error: Error | null, stream: Duplex) => void;

/**
 * Opens TLS connections to the target through a proxy with CONNECT. A proxy that refuses is an error; common
 * libraries return its answer as if it came from the target.
 */
export function createTunnelAgent(
  proxy: URL,
  options: https.AgentOptions,
  tunnelMs = TUNNEL_MS,
): https.Agent {
  const agent = new https.Agent(options);
  agent.createConnection = (wanted: http.ClientRequestArgs, created?: Created) => {
    const host = (wanted.host ?? wanted.hostname ?? "localhost").replace(/^\[(.*)\]$/, "$1");
    openTunnel(proxy, host, Number(wanted.port ?? 443), tunnelMs).then(
      (tunnel) => {
        const servername = isIP(host) === 0 ? { servername: host } : { host };
        created?.(null, connectTls({ socket: tunnel, ...servername }));
      },
      (error: Error) => created?.(error, new PassThrough().destroy()),
    );
    return undefined;
  };
  return agent;
}

/** @throws an error whose message names the proxy and the cause */
function openTunnel(proxy: URL, host: string, port: number, tunnelMs: number): Promise<Duplex> {
  const shown = `the proxy ${proxy.protocol}//${proxy.host}`;
  const place = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === "https:" ? https : http).request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
      method: "CONNECT",
      path: place,
      agent: false,
      headers: { host: place, ...loginOf(proxy) },
    });
    // Limits the whole answer: the caller may have given up by then, and nothing else would end the request.
    const timer = setTimeout(() => request.destroy(new Error("no answer in time")), tunnelMs);
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(new Error(`${shown} cannot be reached: ${error.message}`));
    });
    request.on("connect", (response, socket, head) => {
      clearTimeout(timer);
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) {
        socket.destroy();
        const hint = status === 407 ? ": it requires a user name and password" : "";
        return reject(new Error(`${shown} refused to connect to ${place}: it answered ${status}${hint}`));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

function loginOf({ username, password }: URL): http.OutgoingHttpHeaders {
  if (username === "" && password === "") return {};
  const login = Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString("base64");
  return { "proxy-authorization": `Basic ${login}` };
}
