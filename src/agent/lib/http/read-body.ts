import type { IncomingMessage } from "node:http";

/** Reads a body as text, as much of it as arrives, up to a limit. Never rejects. */
export async function readBody(message: IncomingMessage, maxCharacters: number): Promise<string> {
  let body = "";
  message.setEncoding("utf8");
  try {
    for await (const chunk of message) {
      body += String(chunk);
      if (body.length > maxCharacters) break;
    }
  } catch {
    // The connection closed during the body.
  }
  return body;
}
