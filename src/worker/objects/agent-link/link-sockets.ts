import { PING, PONG, type ToAgent } from "#contract/agent-protocol.ts";
import { attach, attachmentOf, isReady, send } from "#worker/objects/agent-link/link-socket.ts";

/**
 * The hibernating sockets of a link. At most one is `ready`; the others have not sent a hello yet, or have ended.
 * The runtime answers pings without waking the object.
 */
export class LinkSockets {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** @param openedAt Unix milliseconds. @returns the answer to the upgrade */
  accept(credentialHash: string, openedAt: number): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    attach(server, { credentialHash, openedAt, state: "opened" });
    return new Response(null, { status: 101, webSocket: client });
  }

  all(): WebSocket[] {
    return this.#ctx.getWebSockets();
  }

  ready(): WebSocket[] {
    return this.all().filter(isReady);
  }

  isAnyReady(): boolean {
    return this.all().some(isReady);
  }

  /** In Unix milliseconds; 0: no ping yet. */
  lastPingOf(socket: WebSocket): number {
    return this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
  }

  /** Sockets that have not ended, with or without a hello. */
  open(): WebSocket[] {
    return this.all().filter((socket) => attachmentOf(socket).state !== "ended");
  }

  /** @returns how many agents it was sent to */
  send(message: ToAgent): number {
    const sockets = this.ready();
    for (const socket of sockets) send(socket, message);
    return sockets.length;
  }
}
