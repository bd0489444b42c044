import * as z from "zod/mini";

import { DeploymentId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { refuseFollower, tokenTag } from "#worker/following/follower-limits.ts";
import { parseAsk, PING, PONG } from "#worker/following/messages.ts";
import type { LinesAfter, LogBuffer } from "#worker/objects/project-lane/log-buffer.ts";

/** The most bytes in one message, except for a single larger chunk. */
const MESSAGE_BYTES = 128 * 1024;

/** The pause between two rounds grows with the cost of the last round. This limits the lane's time for followers. */
const MS_BETWEEN_ROUNDS = 20;
const MS_PER_MESSAGE = 2;
const BYTES_PER_MS = 32 * 1024;

/** `after`: the last line that a waiting follower has read; null while the follower reads an answer. */
const Waiting = z.strictObject({ id: DeploymentId, after: z.nullable(z.int()) });
type Waiting = z.infer<typeof Waiting>;
const storedWaiting = storedAs(Waiting);

type Parts = {
  readonly ctx: DurableObjectState;
  readonly linesAfter: LogBuffer["linesAfter"];
  /** Writes all pending records to D1. */
  readonly settle: () => Promise<void>;
};

/**
 * The clients that follow a log while it is written. Each has a hibernating WebSocket, with its position attached. So
 * an eviction loses nothing, an idle lane hibernates with followers too, and a slow or lost client costs only its
 * position. New lines are sent in rounds: a round reads the buffer once for all followers that wait at the same line.
 */
export class LogReaders {
  readonly #parts: Parts;
  readonly #changed = new Set<DeploymentId>();
  #isRoundSet = false;
  #lastRound = { at: 0, pauseMs: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    // An earlier instance may have died before it sent the lines that it had saved.
    for (const socket of parts.ctx.getWebSockets()) this.changed(waitingOf(socket).id);
  }

  /** @returns the answer to the upgrade: 429 if the log has too many followers */
  accept(id: DeploymentId, request: Request): Response {
    const refused = refuseFollower(this.#parts.ctx, request, id);
    if (refused !== null) return refused;
    const { 0: client, 1: server } = new WebSocketPair();
    this.#parts.ctx.acceptWebSocket(server, [id, tokenTag(request)]);
    server.serializeAttachment({ id, after: null } satisfies Waiting);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A follower has sent the last line that it has read. */
  receive(socket: WebSocket, message: string | ArrayBuffer): void {
    const after = parseAsk(message);
    if (after === null) return socket.close(1008, "unknown message");
    const { id } = waitingOf(socket);
    socket.serializeAttachment({ id, after } satisfies Waiting);
    this.changed(id);
  }

  /** A log has changed: its waiting followers get an answer in the next round. */
  changed(id: DeploymentId): void {
    this.#changed.add(id);
    const { at, pauseMs } = this.#lastRound;
    const wait = Math.min(Math.max(0, at + pauseMs - Date.now()), pauseMs);
    // Never in this turn: the transaction of the change may not have ended.
    if (!this.#isRoundSet) setTimeout(() => this.#runRound(), wait);
    this.#isRoundSet = true;
  }

  #runRound(): void {
    this.#isRoundSet = false;
    let messages = 0;
    let bytes = 0;
    for (const id of this.#changed) {
      for (const [after, sockets] of this.#waitingFor(id)) {
        const news = this.#parts.linesAfter(id, after, MESSAGE_BYTES);
        if (news.kind === "none") continue;
        messages += sockets.length;
        bytes += news.kind === "lines" ? news.bytes * sockets.length : 0;
        this.#answer(sockets, news);
      }
    }
    this.#changed.clear();
    const pauseMs = Math.max(MS_BETWEEN_ROUNDS, messages * MS_PER_MESSAGE, bytes / BYTES_PER_MS);
    this.#lastRound = { at: Date.now(), pauseMs };
  }

  #answer(sockets: readonly WebSocket[], news: LinesAfter): void {
    if (news.kind !== "ended") return answer(sockets, news.kind === "lines" ? news.ndjson : news.kind);
    // A follower that gets `ended` reads from D1 how the deployment ended.
    void this.#parts.settle().then(() => answer(sockets, news.kind));
  }

  #waitingFor(id: DeploymentId): Map<number, WebSocket[]> {
    const byLine = new Map<number, WebSocket[]>();
    for (const socket of this.#parts.ctx.getWebSockets(id)) {
      const { after } = waitingOf(socket);
      if (after === null) continue;
      const others = byLine.get(after);
      if (others === undefined) byLine.set(after, [socket]);
      else others.push(socket);
    }
    return byLine;
  }
}

function waitingOf(socket: WebSocket): Waiting {
  return storedWaiting.parse(socket.deserializeAttachment());
}

function answer(sockets: readonly WebSocket[], message: string): void {
  for (const socket of sockets) {
    const { id, after } = waitingOf(socket);
    if (after === null) continue;
    socket.serializeAttachment({ id, after: null } satisfies Waiting);
    try {
      socket.send(message);
    } catch {
      // The socket is closed, and its close event follows.
    }
  }
}
