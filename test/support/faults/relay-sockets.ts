import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { type RawData, WebSocket, type WebSocketServer } from "ws";

import type { Fate, Passage } from "./passages.ts";
import { parseJson } from "#contract/parse-json.ts";

type Upgrade = {
  readonly target: string;
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly webSockets: WebSocketServer;
  readonly decide: (passage: Passage) => Promise<Fate>;
};

/** Answers an upgrade as the server behind does, and from then on hands each message on, in its order. */
export function relaySockets({ target, incoming, socket, head, webSockets, decide }: Upgrade): void {
  const back = new WebSocket(target.replace(/^http/, "ws") + (incoming.url ?? ""), {
    headers: { authorization: incoming.headers.authorization ?? "" },
    perMessageDeflate: false,
  });
  // Messages that come before the other side is there wait for it.
  const early: RawData[] = [];
  const keep = (data: RawData): void => void early.push(data);
  back.on("message", keep);
  back.once("unexpected-response", (_request, response) => {
    response.resume();
    socket.end(`HTTP/1.1 ${response.statusCode} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  });
  back.on("error", () => socket.destroy());
  const leave = (): void => back.terminate();
  socket.once("close", leave);
  back.once("open", () => {
    if (socket.destroyed) return back.terminate();
    webSockets.handleUpgrade(incoming, socket, head, (front) => {
      // From here on its end is a passage like any other: across a silence nobody hears of it.
      socket.off("close", leave);
      front.on("error", () => undefined);
      const toAgent = handOn("to-agent", front, decide);
      const fromAgent = handOn("from-agent", back, decide);
      back.off("message", keep);
      for (const data of early) toAgent.take(data);
      back.on("message", (data) => toAgent.take(data));
      front.on("message", (data) => fromAgent.take(data));
      back.on("close", (code, reason) => toAgent.close(code, reason.toString()));
      front.on("close", (code, reason) => fromAgent.close(code, reason.toString()));
    });
  });
}

/** One direction: each message is decided on after the one before it. */
function handOn(kind: "to-agent" | "from-agent", to: WebSocket, decide: Upgrade["decide"]) {
  let last: Promise<void> = Promise.resolve();
  return {
    take(data: RawData): void {
      const text = Buffer.isBuffer(data) ? data.toString() : "";
      last = last.then(async () => {
        const fate = await decide({ kind, message: parseJson(text) });
        if (fate === "drop" || to.readyState !== WebSocket.OPEN) return;
        to.send(text);
        if (fate === "twice") to.send(text);
      });
    },
    close(code: number, reason: string): void {
      void last.then(async () => {
        if ((await decide({ kind: "close", code })) === "drop") return;
        // 1005 and 1006 say that no code came; they may not be sent.
        if (code === 1005 || code === 1006) to.terminate();
        else to.close(code, reason);
      });
    },
  };
}
