/**
 * An app for load tests, which answers with its name (argument 1) at a port (argument 2, or PORT) of HOST or 127.0.0.1: `/` and
 * a POST at once, `/slow` over 1.5 s, `/events` as a stream whose second event comes after a request to `/next`,
 * `/headers` with the headers of the request, all below `/missing` with 404, and a WebSocket that echoes. On SIGTERM it
 * finishes its requests and closes its WebSockets.
 */
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { WebSocketServer } from "ws";

const [, , name = "app", port = process.env["PORT"]] = process.argv;
const sockets = new WebSocketServer({ noServer: true });
// Not Promise.withResolvers: journeys run this app with the oldest Node that agents support.
/** @type {() => void} */
let continueEvents;
/** @type {Promise<void>} */
const next = new Promise((resolve) => {
  continueEvents = resolve;
});

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(request, response) {
  const { pathname } = new URL(request.url ?? "/", "http://app");
  response.setHeader("Content-Type", "text/plain");
  if (pathname === "/headers") return response.end(JSON.stringify(request.headers));
  if (pathname === "/slow") {
    for (let part = 0; part < 15; part += 1) {
      response.write("x".repeat(1000));
      await pause(100);
    }
    return response.end(`END ${name}`);
  }
  if (pathname === "/events") {
    response.setHeader("Content-Type", "text/event-stream");
    response.write("data: first\n\n");
    await next;
    return response.end("data: second\n\n");
  }
  if (pathname === "/next") continueEvents();
  if (pathname.startsWith("/missing/")) {
    response.statusCode = 404;
    response.setHeader("Set-Cookie", "app=1");
  }
  let bytes = 0;
  for await (const chunk of request) bytes += chunk.length;
  response.end(`${name} ${request.method} ${bytes}`);
}

const server = createServer((request, response) => void answer(request, response));
server.on("upgrade", (request, socket, head) => {
  if (request.url !== "/socket")
    return void socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  sockets.handleUpgrade(request, socket, head, (opened) => {
    opened.on("message", () => opened.send(`${name} hello`));
  });
});
// Longer than the proxies keep an idle connection.
server.keepAliveTimeout = 5_000;
server.listen(Number(port), process.env["HOST"] ?? "127.0.0.1", () => console.log("listening"));

process.on("SIGTERM", () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  for (const socket of sockets.clients) socket.close(1001);
});
