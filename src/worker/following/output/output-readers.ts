import * as z from "zod/mini";

import type { FromAgent } from "#contract/agent-protocol.ts";
import { isWanted } from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import { refuseFollower, tokenTag } from "#worker/following/follower-limits.ts";
import {
  type OutputNews,
  OUTPUT_HEADER,
  OUTPUT_PATH,
  OutputRequest,
} from "#worker/following/output/output-news.ts";
import { type LinkSockets, OUTPUT_TAG, send } from "#worker/objects/agent-link/link-sockets.ts";

/** The place of a reader. `hasFirst`: it has got the earlier lines, so new lines are for it. */
const Reader = z.strictObject({ id: z.string(), hasFirst: z.boolean(), request: OutputRequest });
type Reader = z.infer<typeof Reader>;
const storedReader = storedAs(Reader);

type Output = Extract<FromAgent, { type: "output" }>;

/**
 * The clients that read what a project's instances print. Each has a hibernating WebSocket, with its place attached; the
 * object stores nothing. The agent sends while there is one, and the same messages serve all of a project. If the agent
 * reconnects, each reader continues after its last line.
 */
export class OutputReaders {
  readonly #ctx: DurableObjectState;
  readonly #sockets: LinkSockets;

  constructor(ctx: DurableObjectState, sockets: LinkSockets) {
    this.#ctx = ctx;
    this.#sockets = sockets;
  }

  /** Whether the request is a reader's, and not the agent's. */
  isReader(request: Request): boolean {
    return new URL(request.url).pathname === OUTPUT_PATH;
  }

  /** @returns the answer to the upgrade: 409 if the agent is not connected, 429 if the output has too many followers */
  accept(request: Request): Response {
    const output = OutputRequest.parse(parseJson(request.headers.get(OUTPUT_HEADER) ?? ""));
    if (!this.#sockets.isAnyReady()) return new Response(null, { status: 409 });
    const refused = refuseFollower(this.#ctx, request, output.projectId);
    if (refused !== null) return refused;
    const { 0: client, 1: server } = new WebSocketPair();
    const reader = { id: crypto.randomUUID(), hasFirst: false, request: output };
    this.#ctx.acceptWebSocket(server, [OUTPUT_TAG, output.projectId, tokenTag(request)]);
    server.serializeAttachment(reader);
    this.#follow(reader);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** The agent has sent lines. If nobody reads them now, it is told to stop. */
  forward({ project_id, reader: only, lines, left_out }: Output): void {
    const readers = this.#of(project_id);
    if (readers.length === 0) return this.#stop(project_id);
    for (const socket of readers) {
      const reader = readerOf(socket);
      if (only === null ? !reader.hasFirst : only !== reader.id) continue;
      const { request } = reader;
      const wanted = lines.filter((line) => isWanted(request, line));
      const after = lines.at(-1)?.line ?? request.after;
      socket.serializeAttachment({
        ...reader,
        hasFirst: true,
        request: { ...request, after },
      } satisfies Reader);
      if (wanted.length > 0 || left_out !== 0) deliver(socket, { lines: wanted, leftOut: left_out });
    }
  }

  /** A new agent process, or a new connection, knows of no reader. */
  agentConnected(): void {
    for (const socket of this.#ctx.getWebSockets(OUTPUT_TAG)) {
      const reader = { ...readerOf(socket), hasFirst: false };
      socket.serializeAttachment(reader);
      this.#follow(reader);
    }
  }

  /** A reader's socket has closed. @returns false if the socket is the agent's */
  left(socket: WebSocket): boolean {
    if (!this.#sockets.isReader(socket)) return false;
    const { request } = readerOf(socket);
    const others = this.#of(request.projectId).filter((other) => other !== socket);
    if (others.length === 0) this.#stop(request.projectId);
    return true;
  }

  #of(projectId: ProjectId): WebSocket[] {
    const open = (socket: WebSocket) => socket.readyState === WebSocket.OPEN;
    return this.#ctx.getWebSockets(projectId).filter(open);
  }

  #follow({ id, request: { projectId, ...wanted } }: Reader): void {
    for (const agent of this.#sockets.ready())
      send(agent, { type: "follow_output", project_id: projectId, reader: id, ...wanted });
  }

  #stop(projectId: ProjectId): void {
    for (const agent of this.#sockets.ready()) send(agent, { type: "stop_output", project_id: projectId });
  }
}

function readerOf(socket: WebSocket): Reader {
  return storedReader.parse(socket.deserializeAttachment());
}

function deliver(socket: WebSocket, news: OutputNews): void {
  try {
    socket.send(JSON.stringify(news));
  } catch {
    // The socket is closed, and its close event follows.
  }
}
