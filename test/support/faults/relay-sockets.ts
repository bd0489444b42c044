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

/** Answers an upgrade as the target does, and then relays each message in order. */
export function relaySockets({ target, incoming, socket, head, webSockets, decide }: Upgrade): void {
  const back = new WebSocket(target.replace(/^http/, "ws") + (incoming.url ?? ""), {
    headers: { authorization: incoming.headers.authorization ?? "" },
    perMessageDeflate: false,
  });
  // Keeps messages that arrive before the other side is connected.
  const early: RawData[] = [];
  const keep = (data: RawData): void => void early.push(data);
  back.on("message", keep);
  back.once("unexpected-response", (_request, response) => {
    // With its body and its headers: the agent gives up only on a 401 whose body is the control plane's own.
    const { "transfer-encoding": _, ...fields } = response.headers;
    const lines = Object.entries({ ...fields, connection: "close" });
    const answer = lines.map(([name, value]) => `${name}: ${String(value)}\r\n`).join("");
    socket.write(`HTTP/1.1 ${response.statusCode} Refused\r\n${answer}\r\n`);
    response.pipe(socket);
  });
  back.on("error", () => socket.destroy());
  const leave = (): void => back.terminate();
  socket.once("close", leave);
  back.once("open", () => {
    if (socket.destroyed) return back.terminate();
    webSockets.handleUpgrade(incoming, socket, head, (front) => {
      // From here on a close is a passage like any other: a silenced link does not deliver it.
      socket.off("close", leave);
      front.on("error", () => undefined);
      const toAgent = relay("to-agent", front, decide);
      const fromAgent = relay("from-agent", back, decide);
      back.off("message", keep);
      for (const data of early) toAgent.receive(data);
      back.on("message", (data) => toAgent.receive(data));
      front.on("message", (data) => fromAgent.receive(data));
      back.on("close", (code, reason) => toAgent.close(code, reason.toString()));
      front.on("close", (code, reason) => fromAgent.close(code, reason.toString()));
    });
  });
}

/** Relays one direction. Each message waits for the decision about the message before it. */
function relay(kind: "to-agent" | "from-agent", to: WebSocket, decide: Upgrade["decide"]) {
  let last: Promise<void> = Promise.resolve();
  return {
    receive(data: RawData): void {
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
        // 1005 and 1006 mean that no code was received, and must not be sent.
        if (code === 1005 || code === 1006) to.terminate();
        else to.close(code, reason);
      });
    },
  };
}
