import * as z from "zod/mini";

import {
  PING,
  PONG,
  type ToAgent,
  AnyHello,
  AnyMessage,
  closeCodes,
  FromAgent,
  MAX_LINK_MESSAGE,
  PROTOCOL_VERSION,
} from "#contract/agent-protocol.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { notWellFormed } from "#contract/well-formed.ts";
import { storedAs } from "#contract/stored.ts";

/** The tag of the sockets of readers of output. */
export const OUTPUT_TAG = "output";

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
    attach(server, { credentialHash, openedAt, state: "opened", answers: [] });
    return new Response(null, { status: 101, webSocket: client });
  }

  all(): WebSocket[] {
    return this.#ctx.getWebSockets().filter((socket) => !this.isReader(socket));
  }

  /** Whether the socket belongs to a reader of output, and not to an agent. */
  isReader(socket: WebSocket): boolean {
    return this.#ctx.getTags(socket).includes(OUTPUT_TAG);
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

/**
 * The data that is stored with a socket while the object hibernates. `ready`: its agent has sent a hello. `ended`: its
 * messages are ignored. `openedAt` is in Unix milliseconds.
 */
const Attachment = z.strictObject({
  credentialHash: z.string(),
  openedAt: z.number(),
  state: z.enum(["opened", "ready", "ended"]),
  /** The types of requests that the agent answers, and whether it knows a part of a project (`FLEET`); none before its hello. */
  answers: z.array(z.string()),
});
export type Attachment = z.infer<typeof Attachment>;
const storedAttachment = storedAs(Attachment);

/** Stores this with the socket, in place of the earlier attachment. */
export function attach(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment);
}

/** Every socket of a link has an attachment from the start. @throws if it has none */
export function attachmentOf(socket: WebSocket): Attachment {
  return storedAttachment.parse(socket.deserializeAttachment());
}

/** Closes a socket. Messages that still arrive on it are ignored. */
export function end(socket: WebSocket, code: number, reason: string): void {
  attach(socket, { ...attachmentOf(socket), state: "ended" });
  socket.close(code, reason);
}

/** Closes a socket with the code that tells its agent not to reconnect. */
export function endRevoked(socket: WebSocket): void {
  end(socket, closeCodes.credentialRevoked, "the credential was revoked");
}

/** Whether the agent has sent its hello and the socket has not ended. */
export function isReady(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN && attachmentOf(socket).state === "ready";
}

/** @throws if the socket is closed */
export function send(socket: WebSocket, message: ToAgent): void {
  socket.send(JSON.stringify(message));
}

/**
 * A message received over a link. `mismatch`: the hello of an agent with another protocol version. `unknown`: a message
 * type that a newer agent of this protocol version has added; it is ignored.
 */
export type Received =
  | { readonly kind: "message"; readonly message: FromAgent }
  | { readonly kind: "mismatch"; readonly hello: AnyHello }
  | { readonly kind: "unknown" | "malformed" };

/** A message is malformed if it is not text, contains text that is not well-formed Unicode, or is too long. */
export function parseMessage(data: string | ArrayBuffer): Received {
  const isText = typeof data === "string" && data.length <= MAX_LINK_MESSAGE;
  const json = isText ? parseJson(data) : null;
  if (notWellFormed(json, 1).length > 0) return { kind: "malformed" };
  const { data: hello } = AnyHello.safeParse(json);
  if (hello !== undefined && hello.protocol !== PROTOCOL_VERSION) return { kind: "mismatch", hello };
  const message = parseKnown(FromAgent, json);
  if (message.success) return { kind: "message", message: message.data };
  const { data: other } = AnyMessage.safeParse(json);
  const isKnown = FromAgent.def.options.some((option) =>
    option.shape.type.def.values.some((type) => type === other?.type),
  );
  return { kind: other === undefined || isKnown ? "malformed" : "unknown" };
}

/** Headers in which the Worker names the agent of an upgrade request to an AgentLink. Values from the client are overwritten. */
export const linkHeaders = {
  accountId: "x-gantry-account-id",
  credentialHash: "x-gantry-credential-hash",
  /** Where the agent connects from; empty: unknown. */
  region: "x-gantry-region",
} as const;
