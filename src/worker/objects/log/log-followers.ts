import * as z from "zod/mini";

import { DeploymentId } from "#contract/ids.ts";
import { LANE_PING, LANE_PONG, parseAsk } from "#worker/logs/lane-news.ts";
import type { LinesAfter, LogBuffer } from "#worker/objects/log/log-buffer.ts";

/** What one message holds, but for a single chunk that is larger. */
const MESSAGE_BYTES = 128 * 1024;

/** Lines are gathered for as long as the last round cost: followers cannot take more of the lane than this. */
const MS_BETWEEN_ROUNDS = 20;
const MS_PER_MESSAGE = 2;
const BYTES_PER_MS = 32 * 1024;

/** `after`: the line that the follower has read last, while it waits for more; null while it has an answer to take in. */
const Waiting = z.strictObject({ id: DeploymentId, after: z.nullable(z.int()) });
type Waiting = z.infer<typeof Waiting>;

type Parts = {
  readonly ctx: DurableObjectState;
  readonly linesAfter: LogBuffer["linesAfter"];
  /** Has the database told of all that the lane knows. */
  readonly settle: () => Promise<void>;
};

/**
 * Those who follow a log that is being written. Each has a hibernating WebSocket with what it waits for attached, so
 * nothing is lost when the object is evicted, an idle lane sleeps with followers or without, and one that reads slowly
 * or has gone away holds nothing but its place. What wakes them up is done in rounds, each of which reads the buffer
 * once for all who wait at the same line.
 */
export class LogFollowers {
  readonly #parts: Parts;
  readonly #changed = new Set<DeploymentId>();
  #isRoundSet = false;
  #lastRound = { at: 0, pauseMs: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(LANE_PING, LANE_PONG));
    // An instance before this one may have gone without having told them what it had saved.
    for (const socket of parts.ctx.getWebSockets()) this.changed(waitingOf(socket).id);
  }

  /** @returns the answer to the upgrade */
  accept(id: DeploymentId): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#parts.ctx.acceptWebSocket(server, [id]);
    server.serializeAttachment({ id, after: null } satisfies Waiting);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A follower has taken in everything up to a line. */
  asked(socket: WebSocket, message: string | ArrayBuffer): void {
    const after = typeof message === "string" ? parseAsk(message) : null;
    if (after === null) return socket.close(1008, "not understood");
    const { id } = waitingOf(socket);
    socket.serializeAttachment({ id, after } satisfies Waiting);
    this.changed(id);
  }

  /** Something has happened to a log: whoever waits for that learns of it in the next round. */
  changed(id: DeploymentId): void {
    this.#changed.add(id);
    const { at, pauseMs } = this.#lastRound;
    const wait = Math.min(Math.max(0, at + pauseMs - Date.now()), pauseMs);
    // Never at once: the transaction in which it changed may not have ended.
    if (!this.#isRoundSet) setTimeout(() => this.#tell(), wait);
    this.#isRoundSet = true;
  }

  #tell(): void {
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
    // Whoever hears that it is over asks the database how it ended.
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
  return Waiting.parse(socket.deserializeAttachment());
}

function answer(sockets: readonly WebSocket[], message: string): void {
  for (const socket of sockets) {
    const { id, after } = waitingOf(socket);
    if (after === null) continue;
    socket.serializeAttachment({ id, after: null } satisfies Waiting);
    try {
      socket.send(message);
    } catch {
      // It has gone away, and its close is on the way.
    }
  }
}
