import * as z from "zod/mini";

import {
  AnyHello,
  AnyMessage,
  closeCodes,
  FromAgent,
  MAX_LINK_MESSAGE,
  PROTOCOL_VERSION,
  type ToAgent,
} from "#contract/agent-protocol.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { notWellFormed } from "#contract/well-formed.ts";

/**
 * What is kept with a socket while the object sleeps. `ready`: its agent has said hello. `over`: what it still says is
 * heard no more. `openedAt` is in Unix milliseconds.
 */
const Attachment = z.strictObject({
  credentialHash: z.string(),
  openedAt: z.number(),
  state: z.enum(["opened", "ready", "ended"]),
});
export type Attachment = z.infer<typeof Attachment>;

/** Keeps this with the socket in place of what was there. */
export function attach(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment);
}

/** Every socket of a link has one from its opening on. @throws where it has none */
export function attachmentOf(socket: WebSocket): Attachment {
  return Attachment.parse(socket.deserializeAttachment());
}

/** Ends a socket, and all that it has to say from now on. */
export function end(socket: WebSocket, code: number, reason: string): void {
  attach(socket, { ...attachmentOf(socket), state: "ended" });
  socket.close(code, reason);
}

/** Ends it with the code that tells its agent to stay away. */
export function endRevoked(socket: WebSocket): void {
  end(socket, closeCodes.credentialRevoked, "the credential was revoked");
}

/** Whether its agent has said hello, and it has not ended. */
export function isReady(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN && attachmentOf(socket).state === "ready";
}

/** @throws where the socket has been closed */
export function send(socket: WebSocket, message: ToAgent): void {
  socket.send(JSON.stringify(message));
}

/**
 * What came over a link. `mismatch`: the hello of an agent that speaks another version of the protocol. `unknown`: a
 * message that a newer agent of this version has, and that can be passed over.
 */
export type Heard =
  | { readonly kind: "message"; readonly message: FromAgent }
  | { readonly kind: "mismatch"; readonly hello: AnyHello }
  | { readonly kind: "unknown" | "malformed" };

/**
 * @param data as it came; malformed is what is not text, holds text that is not well-formed Unicode, or is longer than any
 * message has to be
 */
export function parseMessage(data: string | ArrayBuffer): Heard {
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
