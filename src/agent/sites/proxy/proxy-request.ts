import {
  request as sendRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type Duplex, pipeline } from "node:stream";

import { connectInstance } from "#agent/sites/proxy/connect-instance.ts";
import { endToEnd, headersForApp } from "#agent/sites/proxy/forwarded-headers.ts";
import { ingressPages } from "#agent/ingress/page.ts";
import { sendIngressPage } from "#agent/sites/pages.ts";

/**
 * Answers in place of an app that does not have the requested file. @returns false if there is no other answer either
 */
type SendInstead = () => Promise<boolean>;

/**
 * Answers a request with what an instance of the app answers. Never throws.
 * @param sendInstead called for a GET or HEAD that the app answers with 404
 */
export async function proxyRequest(
  slots: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
  sendInstead: SendInstead,
): Promise<void> {
  const outgoing = await requestInstance(slots, request, response, null, sendInstead);
  if (outgoing === null) return;
  pipeline(request, outgoing, () => undefined);
}

/**
 * Makes a WebSocket between a visitor and an instance of the app. If the app answers otherwise, so does this.
 * @param response for the same connection, which it releases to a WebSocket
 * @param head what the visitor has sent after the request
 */
export async function proxyUpgrade(
  slots: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer,
): Promise<void> {
  const outgoing = await requestInstance(slots, request, response, (answer, socket, first) => {
    const visitor = request.socket;
    response.detachSocket(visitor);
    const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? ""}`];
    for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2)
      lines.push(`${answer.rawHeaders[at]}: ${answer.rawHeaders[at + 1]}`);
    visitor.write(`${lines.join("\r\n")}\r\n\r\n`);
    visitor.write(first);
    socket.write(head);
    // An end of either side ends both.
    pipeline(visitor, socket, visitor, () => {
      visitor.destroy();
      socket.destroy();
    });
  });
  outgoing?.end();
}

type OnUpgrade = (answer: IncomingMessage, socket: Duplex, first: Buffer) => void;

/**
 * Sends the head of a request to an instance, and its answer to the visitor.
 * @param onUpgrade called if the app switches to another protocol; null if the visitor has not asked for one
 * @returns null if it is answered already
 */
async function requestInstance(
  slots: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
  onUpgrade: OnUpgrade | null,
  sendInstead: SendInstead | null = null,
): Promise<ClientRequest | null> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const socket = await connectInstance(slots, gone.signal);
  if (socket === null) {
    if (!gone.signal.aborted) sendIngressPage(response, ingressPages.down);
    return null;
  }
  const outgoing = sendRequest({
    method: request.method,
    path: request.url,
    headers: headersForApp(request),
    setHost: false,
    createConnection: () => socket,
  });
  response.once("close", () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  const giveUp = (): void => {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendIngressPage(response, ingressPages.down);
  };
  outgoing.on("error", giveUp);
  const isRead = request.method === "GET" || request.method === "HEAD";
  outgoing.on("response", (answer) => {
    if (answer.statusCode !== 404 || sendInstead === null || !isRead) return pass(answer);
    void sendInstead().then(
      (isSent) => (isSent ? answer.resume() : pass(answer)),
      () => pass(answer),
    );
  });
  const pass = (answer: IncomingMessage): void => {
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer).flat());
      // Events that an app streams must not wait for more of them.
      response.flushHeaders();
    } catch {
      // A status that Node reads and does not write, such as 042. It has kept the text.
      response.statusMessage = "";
      giveUp();
      outgoing.destroy();
      return;
    }
    pipeline(answer, response, () => undefined);
  };
  outgoing.on("upgrade", (answer, switched, first) => {
    if (onUpgrade !== null) return onUpgrade(answer, switched, first);
    // Nobody has asked for another protocol.
    switched.destroy();
    giveUp();
  });
  return outgoing;
}
