import { request } from "node:https";
import { createServer } from "node:net";

import { expect, it } from "vitest";

import { createTunnelAgent } from "#agent/lib/http/tunnel.ts";

import { listenLocally } from "../../../support/listen.ts";

it("a tunnel closes the connection to a proxy whose answer never ends", async () => {
  const closed = Promise.withResolvers<void>();
  const proxy = createServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const dripping = setInterval(() => socket.write("x"), 20);
    socket.on("error", () => undefined);
    socket.once("data", () => undefined);
    socket.once("close", () => {
      clearInterval(dripping);
      closed.resolve();
    });
  });
  const port = await listenLocally(proxy);
  const agent = createTunnelAgent(new URL(`http://127.0.0.1:${port}`), {}, 300);
  const outgoing = request({ host: "control.gantry.test", agent });
  const failed = new Promise<Error>((resolve) => outgoing.once("error", resolve));
  outgoing.end();
  expect((await failed).message).toMatch(/^the proxy http:.* cannot be reached: no answer in time$/);
  await closed.promise;
  proxy.close();
});
