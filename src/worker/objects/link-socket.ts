import * as z from "zod";

import { closeCodes, FromAgent, type ToAgent } from "#contract/agent-protocol.ts";

/**
 * What is kept with a socket while the object sleeps. `ready`: its agent has said hello. `over`: what it still says is
 * heard no more. `openedAt` is in Unix milliseconds.
 */
const Attachment = z.strictObject({
  credentialHash: z.string(),
  openedAt: z.number(),
  state: z.enum(["opened", "ready", "over"]),
});
export type Attachment = z.infer<typeof Attachment>;

export function attach(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment);
}

export function attachmentOf(socket: WebSocket): Attachment {
  return Attachment.parse(socket.deserializeAttachment());
}

/** Ends a socket, and all that it has to say from now on. */
export function end(socket: WebSocket, code: number, reason: string): void {
  attach(socket, { ...attachmentOf(socket), state: "over" });
  socket.close(code, reason);
}

export function endRevoked(socket: WebSocket): void {
  end(socket, closeCodes.credentialRevoked, "the credential was revoked");
}

/** Whether its agent has said hello, and it has not ended. */
export function isReady(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN && attachmentOf(socket).state === "ready";
}

export function send(socket: WebSocket, message: ToAgent): void {
  socket.send(JSON.stringify(message));
}

/** null: it is no message of the protocol. */
export function parseMessage(data: string | ArrayBuffer): FromAgent | null {
  if (typeof data !== "string") return null;
  try {
    return FromAgent.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}
