import { createServer } from "node:http";
import { connect } from "node:net";

import { listenLocally } from "../../support/listen.ts";

export type ConnectProxyOptions = {
  /** The `user:password` that every connection must send; `null`: no login. */
  readonly login?: string | null;
  /** The local port to connect to for a requested `host:port`; `null`: it cannot be reached. */
  readonly portOf: (place: string) => number | null;
  /** The answer to every CONNECT, in place of a connection. */
  readonly answer?: string;
};

/** An HTTP proxy as in a company network: only the proxy resolves host names. */
export type ConnectProxy = {
  /** `http://127.0.0.1:<port>`, with the login if there is one. */
  url(login?: string): string;
  /** Each requested `host:port`, in order. */
  readonly asked: readonly string[];
  close(): void;
};

export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const asked: string[] = [];
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on("connect", (request, near, head) => {
    near.on("error", () => undefined);
    const place = request.url ?? "";
    asked.push(place);
    if (options.answer !== undefined) return void near.end(options.answer);
    const { login = null } = options;
    const given = Buffer.from((request.headers["proxy-authorization"] ?? "").replace("Basic ", ""), "base64");
    if (login !== null && given.toString() !== login)
      return void near.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    const port = options.portOf(place);
    if (port === null) return void near.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
    const far = connect(port, "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) far.write(head);
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  const port = await listenLocally(server);
  return {
    url: (login) => `http://${login === undefined ? "" : `${login}@`}127.0.0.1:${port}`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
