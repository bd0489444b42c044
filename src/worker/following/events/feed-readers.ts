import * as z from "zod/mini";

import { refuseFollower, tokenTag } from "#worker/following/follower-limits.ts";
import { parseAsk, PING, PONG } from "#worker/following/messages.ts";
import { storedAs } from "#contract/stored.ts";

/** The position at which a reader waits; null while it reads. */
const Waiting = z.strictObject({ after: z.nullable(z.int()) });
type Waiting = z.infer<typeof Waiting>;
const storedWaiting = storedAs(Waiting);

/**
 * The isolates that read events for a client. Each has a hibernating WebSocket with its position attached, and is told
 * only the number of the newest event: it reads the events from D1, as far as its client may see them.
 */
export class FeedReaders {
  readonly #ctx: DurableObjectState;
  /** The number of the newest event. */
  #newest: number;

  /** @param newest the newest event that the feed knows */
  constructor(ctx: DurableObjectState, newest: number) {
    this.#ctx = ctx;
    this.#newest = newest;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** @returns the answer to the upgrade: 429 if the account's events have too many followers */
  accept(request: Request): Response {
    const refused = refuseFollower(this.#ctx, request);
    if (refused !== null) return refused;
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [tokenTag(request)]);
    server.serializeAttachment({ after: null } satisfies Waiting);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A reader has sent its position. */
  receive(socket: WebSocket, message: string | ArrayBuffer): void {
    const after = parseAsk(message);
    if (after === null) return socket.close(1008, "unknown message");
    if (after < this.#newest) return answer(socket, this.#newest);
    socket.serializeAttachment({ after } satisfies Waiting);
  }

  /** There are new events up to this number. */
  tell(newest: number): void {
    this.#newest = newest;
    for (const socket of this.#ctx.getWebSockets()) {
      const { after } = storedWaiting.parse(socket.deserializeAttachment());
      if (after !== null && after < newest) answer(socket, newest);
    }
  }

  /** The numbers begin again at an earlier one. The readers connect again and find it in D1. */
  endAll(): void {
    this.#newest = 0;
    for (const socket of this.#ctx.getWebSockets()) socket.close(1012, "the database was restored");
  }
}

function answer(socket: WebSocket, newest: number): void {
  socket.serializeAttachment({ after: null } satisfies Waiting);
  try {
    socket.send(String(newest));
  } catch {
    // The socket is closed, and its close event follows.
  }
}
